/** The part of a log that the scheme needs. */
export type SchemeLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
