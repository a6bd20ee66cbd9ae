/** Every limit of the requests to the network. */

/** The pace that stock clients assume if nothing was measured. It is also the ceiling; see ledgerPace.ts. */
export const DEFAULT_LEDGER_SECONDS = 5;

/** Ledger entries that the RPC returns at once. */
export const MAX_KEYS_PER_READ = 200;

/** The network's reserve for each entry of an account. The account itself counts as two. */
export const BASE_RESERVE_STROOPS = 5_000_000n;
export const ACCOUNT_RESERVES = 2;
export const LEAST_BALANCE_STROOPS = BigInt(ACCOUNT_RESERVES) * BASE_RESERVE_STROOPS;

/** The limits of one node. */
export interface NodeLimits {
  connectTimeoutMs: number;
  /** Connections for verifying, and as many for settling. */
  maxConnections: number;
  /** The number of calls of each purpose that may wait for an answer or a connection. More are a fault. */
  maxCallsAtOnce: number;
  maxAnswerBytes: number;
}

export interface RpcLimits extends NodeLimits {
  /** The time for an answer if there is one node, and if others could be asked instead. */
  answerTimeoutMs: number;
  answerTimeoutAmongSeveralMs: number;
  /** A node that fails this often in a row rests: it is asked after all others, for twice as long each time. */
  faultsBeforeRest: number;
  minRestMs: number;
  maxRestMs: number;
  /** An answer from further back than this is a fault. */
  maxLagLedgers: number;
  /** But it is no fault if no node has shown the latest ledger for this long: then the network has started afresh. */
  ledgerMemoryMs: number;
  /** An answer from further ahead is a fault, unless that many ledgers can have closed or another node agrees. */
  maxLeadLedgers: number;
  /** No network closes ledgers faster than this. */
  minLedgerMs: number;
  /** A node whose latest ledger has not changed for longer than this is stale: others are asked before it. */
  maxStandstillMs: number;
  /** A ledger that only one answer has shown is in doubt after more than this many answers far behind it. */
  maxDissents: number;
  /** A ledger in doubt is given up after this many such answers that advance by this many ledgers. */
  minDisowningDissents: number;
  minDisowningLedgers: number;
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
  minDisowningDissents: 10,
  minDisowningLedgers: 2,
};
