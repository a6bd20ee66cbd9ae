import fc from 'fast-check';
import type { Trouble } from './nodes.ts';
import { PAYEES, PAYERS, type PaymentTerms } from './payments.ts';
import { KILL_POINTS, type KillPoint } from './serviceProcess.ts';
import type { StatementFault } from './sharedDatabase.ts';

/** How a process is started. Numbers choose among what there is. */
export interface Start {
  /** Where in the list of submitters it begins, and how many it gets. */
  readonly firstSubmitter: number;
  readonly submitters: number;
  readonly hasFeeBump: boolean;
  readonly nodes: number;
  readonly skewSeconds: number;
  /** About what a request takes to a node, and the answer back. */
  readonly latencyMs: number;
}

export type Step = Alone & {
  /** Where several instances share a database: which one it concerns, of those that run if it asks something. */
  instance?: number;
};

type Alone =
  | { do: 'pay'; terms: PaymentTerms }
  /** Payments of one payer, all at once. */
  | { do: 'pay at once'; terms: PaymentTerms; times: number }
  /** One of the recent payments, or of all. */
  | { do: 'settle again'; payment: number; isRecent: boolean; times: number }
  | { do: 'verify'; payment: number; isRecent: boolean }
  | { do: 'fund'; payer: number; asset: 'usdc' | 'native'; tenths: number }
  | { do: 'pass'; ms: number }
  | { do: 'ledgers'; count: number; everyMs: number }
  /** Several at once, at one node or at two. */
  | { do: 'trouble'; troubles: { node: number; trouble: Trouble }[] }
  | { do: 'heal' }
  | { do: 'catalog fails'; when: 'before' | 'after'; times: number }
  | { do: 'kill'; at: KillPoint | 'now'; arrives: boolean }
  /** Another process; a SIGTERM to the one that runs comes first, with or without ledgers while it drains. */
  | { do: 'start'; start: Start; drains: boolean }
  /** Where instances share a database: a process stands still for so long. */
  | { do: 'pause'; ms: number }
  /** One payment, at all instances at once. */
  | { do: 'pay everywhere'; terms: PaymentTerms }
  | { do: 'statements fail'; fault: StatementFault; times: number }
  | { do: 'database'; isDown: boolean };

/** What happens, in its order: all that a run depends on. */
export interface Schedule {
  readonly start: Start;
  readonly steps: readonly Step[];
}

export const SUBMITTERS = 4;
export const NODES = 2;
/** Those that share a database. */
export const INSTANCES = 3;

/** The schedule of a seed, for one instance, or for several that share a database. */
export function scheduleOf(seed: number, length: number, isShared = false): Schedule {
  const one = isShared ? sharedStep : step;
  const steps = fc.array(one, { minLength: length, maxLength: length, size: 'max' });
  return fc.sample(fc.record({ start, steps }), { seed, numRuns: 1 })[0]!;
}

const pick = fc.constantFrom;
const upTo = (max: number, min = 0) => fc.integer({ min, max });
/** The first with this weight, against one of the rest. */
const mostly = <T>(weight: number, usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: pick(...others) });
const of = <S extends Step>(name: S['do'], fields: object): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Step>;

const start: fc.Arbitrary<Start> = fc.record({
  firstSubmitter: upTo(SUBMITTERS - 1),
  submitters: upTo(SUBMITTERS, 1),
  hasFeeBump: fc.boolean(),
  nodes: mostly(2, NODES, 1),
  skewSeconds: mostly(2, 0, -600, 600, 7),
  latencyMs: mostly(2, 10, 60, 700),
});

const terms: fc.Arbitrary<PaymentTerms> = fc.record({
  payer: upTo(PAYERS - 1),
  payee: upTo(PAYEES - 1),
  asset: mostly<'usdc' | 'native'>(3, 'usdc', 'native'),
  tenths: mostly(3, 1, 3, 6, 10, 12),
  timeoutSeconds: pick(5, 10, 20, 60, 300, 900),
  credentials: mostly<'address' | 'addressV2'>(3, 'address', 'addressV2'),
  defect: mostly<PaymentTerms['defect']>(
    8,
    null,
    'forged',
    'expired',
    'good for too long',
    'of another amount',
    'unsigned',
  ),
  deserves: pick('nothing', 'a listing', 'a listing', 'a refusal'),
  reusesNonce: mostly(12, false, true),
});

/** Of which a payer can afford one or two. */
const largeTerms = terms.chain((usual) =>
  fc.record({ tenths: pick(4, 6, 10), timeoutSeconds: pick(20, 60, 300) }).map((large) => ({
    ...usual,
    ...large,
    defect: null,
  })),
);

const METHODS = [
  'simulateTransaction',
  'sendTransaction',
  'getTransaction',
  'getLedgerEntries',
  'getFeeStats',
];
const methods = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant(['sendTransaction']) },
  { weight: 1, arbitrary: fc.subarray(METHODS, { minLength: 1 }) },
);
/** Undefined: until it is healed. */
const times = fc.oneof(
  { weight: 4, arbitrary: upTo(4, 1) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

/** As the sandbox wants it: a field that is not there rather than one that is undefined. */
function striking(kind: Trouble['kind'], fields: object = {}): fc.Arbitrary<Trouble> {
  return fc.record({ ...fields, methods, times }).map((all) => ({
    kind,
    ...Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
  })) as fc.Arbitrary<Trouble>;
}

const REFUSALS = [
  'txBadSeq',
  'txTooLate',
  'txInsufficientFee',
  'txInsufficientBalance',
  'txBadAuth',
  'txInternalError',
] as const;

const refusing: fc.Arbitrary<Trouble> = fc
  .record({
    status: pick('PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR', 'ERROR'),
    result: pick(...REFUSALS),
    times: upTo(6, 1),
  })
  .map((fields) => ({ kind: 'sendStatus', ...fields }) as const);

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  refusing,
  refusing,
  striking('hang'),
  striking('delay', { ms: pick(500, 3_000, 9_000, 20_000) }),
  striking('httpStatus', { status: pick(429, 500, 502, 503) }),
  striking('rpcError', { code: pick(-32_603, -32_602), message: fc.constant('no') }),
  striking('wrongJson'),
  striking('wrongId'),
  striking('lostAnswer'),
  striking('repeat'),
  striking('staleLedger', { ledgers: pick(1, 3, 20) }),
  refusing,
  fc
    .record({ stroops: pick(150, 1_000, 9_000, 20_000, 60_000) })
    .map((fields) => ({ kind: 'feeSurge', ...fields }) as const),
  fc.constant<Trouble>({ kind: 'deniesOnce' }),
  fc
    .record({ ledgers: upTo(3, 1), isShared: fc.boolean() })
    .map((fields) => ({ kind: 'lags', ...fields }) as const),
  fc.record({ times: upTo(2, 1) }).map((fields) => ({ kind: 'oldSequence', ...fields }) as const),
  fc
    .record({ kind: pick('arrivesLate', 'retries', 'queues'), ms: pick(300, 2_000, 7_000, 11_000, 25_000) })
    .map((fields) => fields as Trouble),
);

/** What one node takes without an answer, the other one refuses. */
const torn = fc.record({
  lost: pick<Trouble>(
    { kind: 'lostAnswer', methods: ['sendTransaction'] },
    { kind: 'wrongJson', methods: ['sendTransaction'] },
    { kind: 'delay', ms: 20_000, methods: ['sendTransaction'] },
  ),
  refused: refusing,
  first: upTo(NODES - 1),
});

const troubles = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.record({ node: upTo(NODES - 1), trouble }), { minLength: 1, maxLength: 3 }),
  },
  {
    weight: 1,
    arbitrary: upTo(3, 1).map((ledgers) =>
      [0, 1].map((node) => ({ node, trouble: { kind: 'lags', ledgers, isShared: true } as const })),
    ),
  },
  {
    weight: 1,
    arbitrary: torn.map(({ lost, refused, first }) => [
      { node: first, trouble: lost },
      { node: NODES - 1 - first, trouble: refused },
    ]),
  },
);

const earlier = { payment: upTo(999), isRecent: fc.boolean() };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 22, arbitrary: of('pay', { terms }) },
  { weight: 3, arbitrary: of('pay at once', { terms: largeTerms, times: upTo(5, 2) }) },
  { weight: 10, arbitrary: of('settle again', { ...earlier, times: mostly(4, 1, 2, 5) }) },
  { weight: 8, arbitrary: of('verify', earlier) },
  {
    weight: 4,
    arbitrary: of('fund', { payer: upTo(PAYERS - 1), asset: pick('usdc', 'native'), tenths: upTo(20, 5) }),
  },
  { weight: 14, arbitrary: of('pass', { ms: pick(0, 10, 50, 200, 1_000, 4_000, 15_000, 40_000) }) },
  {
    weight: 20,
    arbitrary: of('ledgers', { count: upTo(4, 1), everyMs: mostly(3, 5_000, 60, 1_000, 7_000) }),
  },
  { weight: 8, arbitrary: of('trouble', { troubles }) },
  { weight: 5, arbitrary: of('heal', {}) },
  { weight: 1, arbitrary: of('catalog fails', { when: pick('before', 'after'), times: upTo(3, 1) }) },
  {
    weight: 3,
    arbitrary: of('kill', { at: fc.oneof(fc.constant('now'), pick(...KILL_POINTS)), arrives: fc.boolean() }),
  },
  { weight: 4, arbitrary: of('start', { start, drains: fc.boolean() }) },
);

/** Some pauses are longer than a lease, which runs out after 8 s. */
const troubleOfShared: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: of('pay everywhere', { terms }) },
  { weight: 3, arbitrary: of('pause', { ms: pick(500, 3_000, 9_000, 14_000, 40_000) }) },
  {
    weight: 4,
    arbitrary: of('statements fail', {
      fault: pick('refused', 'answer lost', 'answer lost', 'slow', 'slow', 'late'),
      times: upTo(4, 1),
    }),
  },
  { weight: 2, arbitrary: of('database', { isDown: mostly(2, true, false) }) },
);
const sharedStep: fc.Arbitrary<Step> = fc
  .record({
    step: fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: troubleOfShared }),
    instance: upTo(INSTANCES - 1),
  })
  .map(({ step: one, instance }) => ({ ...one, instance }));

/** A step on one line. */
export function textOf(step: Step): string {
  const { do: name, ...fields } = step;
  return `${name} ${Object.keys(fields).length === 0 ? '' : JSON.stringify(fields)}`.trim();
}
