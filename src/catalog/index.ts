export { openCatalog } from './catalog.ts';
export type { Catalog, Filters, ListRequest, SearchRequest } from './catalog.ts';
export { IN_MEMORY, UnusableDatabase } from './databaseFile.ts';
export type { SettledPayment } from './listing.ts';
