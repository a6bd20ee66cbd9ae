export { openCatalog } from './catalog.ts';
export type { Catalog } from './catalog.ts';
export { openMovedCatalog } from './moving.ts';
export { listingTextOf, readListingText } from './listingText.ts';
export type { SettledPayment } from './listing.ts';
export type { Filters, ListRequest, SearchRequest } from './requests.ts';
