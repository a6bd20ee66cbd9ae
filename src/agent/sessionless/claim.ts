import { valueAt } from '../json.ts';

const FIRST_REVISION = '2026-07-28';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/**
 * True for a message that names its revision, as all do since 2026-07-28, or something else there. Older ones begin a session
 * instead, also if they name theirs.
 */
export function namesRevision(message: unknown): boolean {
  const version = valueAt(message, 'params', '_meta', VERSION);
  return version !== undefined && !(isRevision(version) && version < FIRST_REVISION);
}

/** True for the header `MCP-Protocol-Version` of a revision without sessions. */
export const isSessionless = (version: string | string[] | undefined): boolean =>
  isRevision(version) && version >= FIRST_REVISION;

const isRevision = (version: unknown): version is string =>
  typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version);
