/** Starts the PostgreSQL server that all tests of a run share, and stops it after them. */
import { binaries, openPostgres } from '../postgres/server.ts';
import { SHARED_URL } from '../postgres/shared.ts';

export default async function setup(): Promise<(() => Promise<void>) | void> {
  // Each project of a run asks for it.
  if (binaries === undefined || process.env[SHARED_URL] !== undefined) return;
  const server = await openPostgres();
  process.env[SHARED_URL] = server.url;
  return () => server.close();
}
