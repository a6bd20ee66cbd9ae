import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/** Returns the URL of the database that instances share; undefined if there is none. It may hold a password. */
export function readDatabaseUrl({ DATABASE_URL: text }: Environment, report: Report): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hostname === '')
    report(
      'DATABASE_URL',
      'must be a URL such as postgres://user:password@host:5432/database?sslmode=verify-full',
    );
  return text;
}
