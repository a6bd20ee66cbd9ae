/** The service as it runs, for those who know it by its contract only: fuzzers, generated clients. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey, openSqliteKeys } from '../../src/callers/index.ts';
import { openCatalog, type Catalog, type SettledPayment } from '../../src/catalog/index.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { toConfig } from '../../src/config/config.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type { FacilitatorRequest, PaymentRequirements } from '../../src/contract/index.ts';
import { prepareJournalFile } from '../../src/journal/index.ts';
import { createLog } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { requestFor, requirementsFor } from './payments.ts';
import { SERVICE } from './sellerMessages.ts';
import { stockTransfer } from './paymentsStock.ts';
import { openSandbox, type TestSandbox } from './sandbox.ts';

const SUBMITTERS = 4;
const OWNERS = 5;
const LISTING_ATTEMPTS = 20;
const LOG_LINES = 200;

export interface FilledService extends AsyncDisposable {
  readonly url: string;
  /** A key of the service, if it needs one. */
  readonly key: string | undefined;
  readonly sandbox: TestSandbox;
  /** Public addresses. */
  readonly submitters: readonly string[];
  /** The latest lines of the service's log (JSON), oldest first. */
  readonly log: readonly string[];
  /** A new buyer's payment, made by the stock client, as a stock seller sends it; for the tool about `subject`. */
  payment(subject?: string, changes?: Partial<PaymentRequirements>): Promise<FacilitatorRequest>;
  /** Who pays a payment that was made here. */
  payerOf(payment: FacilitatorRequest): string;
}

export interface FilledServiceOptions {
  ledgerMs?: number;
  /** Keeps everything to callers with a key. */
  needsKey?: boolean;
}

/** A sandbox network, the service on it, and a listing of each kind for each of `SUBJECTS` in its catalog. */
export async function openFilledService({
  ledgerMs,
  needsKey = false,
}: FilledServiceOptions = {}): Promise<FilledService> {
  await using open = new AsyncDisposableStack();
  const sandbox = await openSandbox({ ...(ledgerMs !== undefined && { ledgerMs }) });
  open.defer(() => sandbox.close());

  const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line.trimEnd());
    if (lines.length > LOG_LINES) lines.shift();
  };
  const log = createLog([], { write });
  const configured = toConfig({
    OPERATOR_PORT: 'off',
    LISTING_OPERATIONS: SERVICE,
    RECEIPT_SECRET: Buffer.alloc(32, 7).toString('base64'),
    RPC_URL: sandbox.url,
    SUBMITTER_SECRET: submitters.map((submitter) => submitter.secret()).join(','),
    PORT: '0',
    ...(needsKey ? { CALLERS: 'keys', CALLERS_DISCOVERY: 'keys' } : {}),
    DB_PATH: needsKey ? temporaryFile(open) : ':memory:',
  });
  if ('problems' in configured) throw new Error(configured.problems.map(({ text }) => text).join('; '));
  const key = needsKey ? await makeKey(journalPathOf(configured.config.dbPath)) : undefined;
  const catalog = await openCatalog({ dbPath: configured.config.dbPath, log });
  const service = await openService({ ...configured, log, parts: { catalog } });
  open.defer(() => service.close());
  const owners = Array.from({ length: OWNERS }, () => sandbox.account(0n).publicKey());
  await fill(catalog, owners);

  const payers = new Map<unknown, string>();
  const all = open.move();
  return {
    url: service.url,
    key,
    sandbox,
    submitters: submitters.map((submitter) => submitter.publicKey()),
    log: lines,
    async payment(subject, changes) {
      const payTo = subject === undefined ? sandbox.account(0n).publicKey() : ownerOf(subject, owners);
      const requirements = requirementsFor(payTo, changes);
      const payer = sandbox.account();
      const transaction = await stockTransfer(payer, requirements, sandbox.httpsUrl);
      payers.set(transaction, payer.publicKey());
      const request = requestFor(requirements, transaction);
      if (subject === undefined) return request;
      return { ...request, paymentPayload: { ...request.paymentPayload, ...toolOf(subject) } };
    },
    payerOf: ({ paymentPayload }) => payers.get(paymentPayload.payload?.transaction)!,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Returns the path of a catalog in a folder of its own, which is removed in the end. */
function temporaryFile(open: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'filled-service-'));
  open.defer(() => rmSync(folder, { recursive: true }));
  return join(folder, 'catalog.db');
}

async function makeKey(path: string): Promise<string> {
  prepareJournalFile(path);
  const keys = openSqliteKeys(path, { busyTimeoutMs: 1_000 });
  const { id, text, secretHash } = newKey();
  const limits = { ...DEFAULT_CALLERS.limits, feeBudgetStroops: undefined };
  await keys.add({ id, name: 'test', secretHash, limits, createdAtMs: 0, revokedAtMs: undefined });
  keys.close();
  return text;
}

/** What the listings are about. Their texts share some words, so that every query has matches of several ranks. */
export const SUBJECTS = [
  'weather',
  'tides',
  'air quality',
  'earthquakes',
  'currency rates',
  'stock quotes',
  'train times',
  'flight prices',
  'street maps',
  'translation',
  'spelling',
  'summaries',
  'image captions',
  'speech',
  'recipes',
  'nutrition',
  'patents',
  'court records',
  'company registers',
  'tax rules',
];

type Offer = Required<Pick<FacilitatorRequest['paymentPayload'], 'resource' | 'extensions'>>;

async function fill(catalog: Catalog, owners: readonly string[]): Promise<void> {
  for (const subject of SUBJECTS) {
    const requirements = requirementsFor(ownerOf(subject, owners));
    for (const offer of [lookupOf(subject), orderOf(subject), toolOf(subject)])
      await list(catalog, { ...offer, requirements, isStellarAsset: true });
  }
  // As a service of more schemes and networks would list it: terms of which no entry has all that others have.
  const [subject = ''] = SUBJECTS;
  for (const other of [{ network: 'stellar:pubnet' }, { scheme: 'upto' }]) {
    const requirements = requirementsFor(ownerOf(subject, owners), other);
    await list(catalog, { ...lookupOf(subject), requirements, isStellarAsset: true });
  }
}

async function list(catalog: Catalog, settled: SettledPayment): Promise<void> {
  for (let attempt = 1; attempt <= LISTING_ATTEMPTS; attempt += 1) {
    const outcome = await catalog.submit(settled);
    if (outcome?.status === 'success') return;
    if (outcome !== undefined) throw new Error(`not listed: ${outcome.rejectedReason}`);
    // The machine is busy: the catalog did not answer in time, and may have listed it all the same.
  }
  throw new Error('the catalog does not answer in time');
}

/** Of all listings of a subject; what is no subject yet gets the first. */
function ownerOf(subject: string, owners: readonly string[]): string {
  return owners[Math.max(0, SUBJECTS.indexOf(subject)) % owners.length]!;
}

const urlOf = (subject: string, path: string): string =>
  `https://${subject.replaceAll(' ', '-')}.example.com/${path}`;

function lookupOf(subject: string): Offer {
  const input = { type: 'http', method: 'GET', queryParams: { place: 'Lisbon' } };
  return offerOf(subject, urlOf(subject, 'lookup'), `Looks up ${subject} for a place`, input);
}

function orderOf(subject: string): Offer {
  const input = { type: 'http', method: 'POST', bodyType: 'json', body: { text: 'a text', language: 'pt' } };
  return offerOf(subject, urlOf(subject, 'report'), `Writes a report on ${subject}`, input);
}

function toolOf(subject: string): Offer {
  const inputSchema = { type: 'object', properties: { place: { type: 'string' } } };
  const input = { type: 'mcp', toolName: subject.replaceAll(' ', '_'), inputSchema };
  return offerOf(subject, urlOf(subject, 'mcp'), `A tool for ${subject}`, input);
}

function offerOf(subject: string, url: string, description: string, input: object): Offer {
  return {
    resource: {
      url,
      description,
      mimeType: 'application/json',
      serviceName: `The ${subject} desk`,
      tags: [...new Set(subject.split(' '))],
    },
    extensions: { bazaar: { info: { input }, schema: { type: 'object', required: ['input'] } } },
  };
}
