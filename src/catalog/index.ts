export { openCatalog } from './catalog.ts';
export type { Catalog, CatalogDeps, CatalogState } from './catalog.ts';
export type { CatalogObserver } from './observer.ts';
export { openMovedCatalog } from './moving.ts';
export { listingTextOf, readListingText } from './listingText.ts';
export type { SettledPayment } from './listing.ts';
export { readMetadata } from './declaration/metadata.ts';
export { canonicalJson } from './item.ts';
export { canonicalUrl } from './declaration/resource.ts';
export { reviewDeclaration, type ReviewedListing } from './declaration/review.ts';
export type { SellerAct, SellerOutcome, Sellers } from './sellers.ts';
export type { Filters, ListRequest, SearchRequest } from './requests.ts';
export type { Blocked, Keeper } from './keeper/keeper.ts';
export { readResourceUrl } from './declaration/resource.ts';
export { recipientKey } from './keeper/target.ts';
export { isNamed } from './proofs.ts';
export type { Claim, EndingPage, Proofs, ProofPlace, Speaker, Unproven, Verified } from './proofs.ts';
export { ACTOR_LIMIT_CHARACTERS } from './limits.ts';
export { openKeeperInFile, openSharedKeeper } from './keeper/open.ts';
export { importListings } from './imports/imports.ts';
export type { ImportRequest, ImportSummary } from './imports/imports.ts';
export { openImportsInFile } from './imports/inFile.ts';
export { openSharedImports } from './imports/shared.ts';
export type { Imports } from './imports/types.ts';
export { openChecksInFile } from './checks/inFile.ts';
export { openSharedChecks } from './checks/shared.ts';
export type { CheckableListing, Checks } from './checks/types.ts';
export type { Stale } from './checks/stale.ts';
export { shownInDatabase, shownInFile } from './shownListings.ts';
export type { ShownListings } from './shownListings.ts';
export type { BlockTarget } from './keeper/target.ts';
export type {
  Block,
  KeeperAct,
  KeeperAction,
  RecordedAct,
  KeeperRefusal,
  KeptDetail,
  KeptListing,
  KeptPage,
  KeptRequest,
  Progress,
  ActsRequest,
} from './keeper/types.ts';
