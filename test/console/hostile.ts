/** Texts that try to run, to hide, to turn around or to push aside, and a journal full of them. */
import { UNLIMITED_BUDGET, type JournalEntry } from '../../src/scheme/index.ts';
import type { Catalog } from '../../src/catalog/index.ts';
import { catalogDouble } from '../support/catalogDouble.ts';
import type { TestJournal } from '../support/service.ts';

export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  'javascript:alert(document.domain)//',
  'data:text/html,<script>alert(1)</script>',
  "'; alert(1); //",
  '{{constructor.constructor("alert(1)")()}}',
  'https://good.example@evil.example/<svg onload=alert(1)>',
  'https://evil.example/\u202egnp.exe\u2066\u200b\u00ad',
  'java\nscript:alert(1)',
  '\u0000\u0001\u001b[31mred\u0007\u2028\u2029',
  `Z${'\u0335\u0336\u0337'.repeat(60)}algo`,
  'W'.repeat(2_000),
  `https://evil.example/${'a'.repeat(1_900)}`,
  '\u2800\u3164\u00a0',
  '🏴‍☠️ العربية עברית',
  '__proto__',
  '%00%0d%0a%3Cscript%3E',
  '\ud800',
];

/** Writes each text into every field of a settlement, pending and ended. Returns the hashes. */
export async function writeHostile(journal: TestJournal): Promise<string[]> {
  const hashes: string[] = [];
  for (const [nth, text] of HOSTILE.entries()) {
    const hash = (nth + 1).toString(16).padStart(64, '0');
    await journal.open(entryOf(hash, text), () => true);
    if (nth % 3 === 0) journal.close(hash, { state: 'rejected', reason: text } as never);
    if (nth % 3 === 1)
      journal.close(hash, {
        state: 'applied',
        result: text,
        ledger: 7,
        closedAtSeconds: Math.floor(Date.now() / 1000),
        feeChargedStroops: 100,
      } as never);
    hashes.push(hash);
  }
  return hashes;
}

/** Returns an entry that says the same in every field. */
export const entryOf = (hash: string, text: string): JournalEntry => ({
  hash,
  payer: text,
  party: text,
  payTo: text,
  amount: 10n ** 38n,
  asset: text,
  resource: text,
  requestId: text,
  askedAgoMs: 3_000,
  verifiedAgoMs: 1_000,
  listing: undefined,
  isStellarAsset: true,
  authorization: `${hash} ${text}`,
  submitter: text,
  sequence: 1n,
  bid: { inclusionStroops: 200, totalStroops: 23_200 },
  budget: { ...UNLIMITED_BUDGET, caller: text },
  // Far off, so that nobody looks for it on the ledger and ends it.
  sent: { validity: { maxTimeSeconds: 4_000_000_000, lastLedger: 4_000_000_000 }, sentInLedger: 1 },
});

/** Returns a catalog whose listings, blocks and acts say the same in every field. */
export function hostileCatalog(): Catalog {
  const listings = HOSTILE.map((text, nth) => ({
    id: nth + 1,
    resource: text,
    type: text,
    toolName: text,
    payTo: text,
    serviceName: text,
    lastUpdated: '2026-11-23T08:00:00.000Z',
    isHidden: nth % 2 === 0,
    blockedBy: nth % 3 === 0 ? [{ kind: 'origin' as const, value: text }] : [],
    stale: { reason: text as never, since: '2026-11-23T08:00:00.000Z' },
  }));
  const acts = HOSTILE.map((text, nth) => ({
    id: HOSTILE.length - nth,
    at: new Date(),
    source: 'terminal' as const,
    actor: text,
    action: 'hide' as const,
    subject: text,
    listing: nth + 1,
    reason: text,
  }));
  const blocks = HOSTILE.map((value) => ({ kind: 'origin' as const, value, since: new Date() }));
  const keeper: Partial<Catalog['keeper']> = {
    list: async () => ({ listings, next: undefined }),
    async show(id) {
      const listing = listings[id - 1]!;
      const { resource: text } = listing;
      const item = { description: text, mimeType: text, tags: [text], [text]: text };
      return { listing, item, acts: [acts[id - 1]!] };
    },
    blocks: async () => blocks,
    acts: async () => acts,
  };
  return catalogDouble({ keeper: keeper as Catalog['keeper'] });
}
