/** The service with a choice of listings in its catalog. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { openCatalog } from '../../src/catalog/index.ts';
import { createOperations } from '../../src/catalog/operations.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { requirementsFor } from '../support/payments.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, silent, type Facilitator } from '../support/service.ts';

/** A listing: the terms under which it was paid, in order, and the words by which it is found. */
export interface Listed {
  url: string;
  /** Of an MCP tool; else the listing is of type http. */
  toolName?: string;
  terms: readonly { payTo: string; network: string; scheme: string }[];
  description: string;
  tags?: readonly string[];
}

/** Writes the listings to a file, past the service, which settles on one network only; then serves that file. */
export async function openShelf(sandbox: TestSandbox, listings: readonly Listed[]): Promise<Facilitator> {
  const folder = await mkdtemp(join(tmpdir(), 'x402-shelf-'));
  const dbPath = join(folder, 'catalog.db');
  fill(dbPath, listings);
  const catalog = await openCatalog({ dbPath, log: silent });
  const facilitator = await openFacilitator({
    rpcUrl: sandbox.url,
    submitters: [sandbox.submitter()],
    catalog,
  });
  return {
    ...facilitator,
    async close() {
      await facilitator.close();
      await rm(folder, { recursive: true });
    },
  };
}

function fill(dbPath: string, listings: readonly Listed[]): void {
  const store = createSqliteStore(openDatabase(dbPath));
  const { submit } = createOperations(store);
  for (const { url, toolName, terms, description, tags } of listings) {
    const extensionsText = JSON.stringify(declarationOf(toolName));
    for (const { payTo, network, scheme } of terms) {
      const requirements = requirementsFor(payTo, { network, scheme });
      const resource = { url, description, tags };
      const refusal = submit({
        extensionsText,
        resource,
        requirements,
        settledAt: new Date(),
        isStellarAsset: true,
      });
      if (refusal !== undefined) throw new Error(`${url}: ${JSON.stringify(refusal)}`);
    }
  }
  store.close();
}

function declarationOf(toolName: string | undefined): Record<string, unknown> {
  if (toolName !== undefined) return declareDiscoveryExtension({ toolName, inputSchema: { type: 'object' } });
  const { bazaar } = declareDiscoveryExtension({}) as { bazaar: any };
  bazaar.info.input.method = 'GET';
  return { bazaar };
}
