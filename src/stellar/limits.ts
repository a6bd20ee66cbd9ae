/** Every bound of what is asked of the network. */

/** What stock clients assume where nothing was measured; see ledgerClock.ts for why it is also the ceiling. */
export const DEFAULT_LEDGER_SECONDS = 5;

/** Entries of the ledger that the RPC gives out at once. */
export const MAX_KEYS_PER_READ = 200;

/** Of one node. */
export interface NodeLimits {
  connectTimeoutMs: number;
  /** Connections to verify, and as many to settle. */
  maxConnections: number;
  /** This many calls of each purpose may wait for an answer or a connection; more are a fault. */
  maxCallsAtOnce: number;
  maxAnswerBytes: number;
}

export interface RpcLimits extends NodeLimits {
  /** For an answer, where there is one node, and where others could be asked instead. */
  answerTimeoutMs: number;
  answerTimeoutAmongSeveralMs: number;
  /** A node that fails this often in a row rests: it is asked after all others, for twice as long each time. */
  faultsBeforeRest: number;
  minRestMs: number;
  maxRestMs: number;
  /** An answer from further back than this is a fault … */
  maxLagLedgers: number;
  /** … unless no node has shown the latest ledger for this long: then the network has started afresh. */
  ledgerMemoryMs: number;
  /** An answer from further ahead than this is a fault, unless as many ledgers can have closed since the last … */
  maxLeadLedgers: number;
  /** … or another node agrees. No network closes ledgers faster than this. */
  minLedgerMs: number;
  /** A node whose latest ledger has been the same for longer than this stands still: others are asked before it. */
  maxStandstillMs: number;
  /** What one answer alone has said is disowned by so many that are far behind it. */
  maxDissents: number;
}

export const RPC_LIMITS: RpcLimits = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 10_000,
  answerTimeoutAmongSeveralMs: 4_000,
  maxConnections: 64,
  maxCallsAtOnce: 10_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  faultsBeforeRest: 3,
  minRestMs: 1_000,
  maxRestMs: 30_000,
  maxLagLedgers: 3,
  ledgerMemoryMs: 20_000,
  maxLeadLedgers: 100,
  minLedgerMs: 50,
  maxStandstillMs: 15_000,
  maxDissents: 3,
};
