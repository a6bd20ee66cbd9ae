import type { LedgerClose, Settlement } from '../../src/catalog/store.ts';
import type { PaymentRequirements } from '../../src/contract/index.ts';

/** A settlement in short. What is absent was not declared. */
export interface Draft {
  /** Makes the resource's URL, and stands for the listing in expectations. */
  readonly name: string;
  /** Makes it an MCP tool. */
  readonly toolName?: string;
  readonly serviceName?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly mimeType?: string;
  readonly iconUrl?: string;
  /** Descriptions by the parameters' names. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly terms?: Partial<PaymentRequirements> & Record<string, unknown>;
  readonly settledAt?: Date;
  readonly ledgerClose?: LedgerClose;
  readonly isStellarAsset?: boolean;
  readonly payer?: string;
  readonly claim?: Settlement['claim'];
}

const HOST = 'https://api.example.com/';

export const TERMS: PaymentRequirements = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  amount: '100000',
  payTo: 'GCSQWJRSOBYYESHL2MW7QLPMNSRX3BVSIIIBAZCKEIFLGDJZRZXLYZWX',
  maxTimeoutSeconds: 60,
};

export const FIRST_SETTLED_AT = new Date('2026-11-21T12:00:00.000Z');

export function settlementOf(draft: Draft): Settlement {
  const { name, toolName, parameters = {}, terms, ...others } = draft;
  const {
    settledAt = FIRST_SETTLED_AT,
    ledgerClose,
    isStellarAsset = true,
    payer,
    claim,
    ...metadata
  } = others;
  return {
    declaration: {
      resource: urlOf(name),
      type: toolName === undefined ? 'http' : 'mcp',
      toolName: toolName ?? '',
      metadata,
      bazaar: toolName === undefined ? httpExtension(parameters) : mcpExtension(toolName, parameters),
    },
    requirements: { ...TERMS, ...terms },
    settledAt,
    ledgerClose,
    isStellarAsset,
    payer,
    claim,
  };
}

export const urlOf = (name: string): string => HOST + name;

export const nameOf = (url: string): string => url.slice(HOST.length);

/** The names of the drafts that made some listings. */
export const namesOf = (listings: readonly { readonly resource: string }[]): string[] =>
  listings.map(({ resource }) => nameOf(resource));

function httpExtension(parameters: Readonly<Record<string, string>>) {
  return {
    info: { input: { type: 'http', method: 'GET' } },
    schema: { properties: { input: { properties: { queryParams: { properties: schemas(parameters) } } } } },
  };
}

function mcpExtension(toolName: string, parameters: Readonly<Record<string, string>>) {
  return {
    info: { input: { type: 'mcp', toolName, inputSchema: { properties: schemas(parameters) } } },
    schema: {},
  };
}

function schemas(parameters: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, description]) => [name, { type: 'string', description }]),
  );
}
