/** Logs an object of fields, then a fixed text. */
export type CatalogLog = Record<'info' | 'warn' | 'error', (fields: object, text: string) => void>;
