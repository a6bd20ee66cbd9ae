import { objectAt } from '../json.ts';

const FIRST_REVISION = '2026-07-28';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** True for a message that names its revision, as all do since 2026-07-28. Older ones begin a session instead. */
export const namesRevision = (message: unknown): boolean =>
  Object.hasOwn(objectAt(message, 'params', '_meta'), VERSION);

/** True for the header `MCP-Protocol-Version` of a revision without sessions. */
export const isSessionless = (version: string | string[] | undefined): boolean =>
  typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) && version >= FIRST_REVISION;
