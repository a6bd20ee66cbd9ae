import { readFileSync } from 'node:fs';

/** What package.json says that hosts and registries show, too. */
export const PACKAGE = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Readonly<{
  name: string;
  version: string;
  license: string;
  /** The name in the MCP registry: a namespace that the publisher owns, and the name of the server. */
  mcpName: string;
  engines: { node: string };
}>;

/** The registry takes at most 100 characters. */
export const DESCRIPTION =
  'Finds paid APIs and MCP tools, calls them, and pays within limits in stablecoins on Stellar.';
