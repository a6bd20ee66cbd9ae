/** What the scheme needs of a log. */
export type SchemeLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
