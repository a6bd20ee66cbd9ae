/** Lists the numbers that validators have voted for, in the order in which the host reads them. */
import { pack } from '../bytes.ts';
import type { PublicNetwork } from '../networks.ts';
import { BASE_RESERVE_STROOPS, MAX_ENTRY_TTL_LEDGERS, TRANSACTION_LIMITS } from '../protocol.ts';
import table from './costs.json' with { type: 'json' };

/** Stroops per unit; "1kb" is 1,024 bytes. Both public networks charge them. */
const FEES = {
  instructions10k: 7,
  diskReadEntry: 1_563,
  writeEntry: 2_500,
  diskRead1kb: 447,
  write1kb: 875,
  historical1kb: 4_059,
  events1kb: 5_000,
  transactionSize1kb: 406,
};
/** Stroops per 1,024 bytes and this many ledgers. */
const RENT = { rent1kb: 1_000, persistentLedgers: 1_215, temporaryLedgers: 2_430 };

export function settingsOf(network: PublicNetwork): Buffer {
  const { minTemporaryLedgers, minPersistentLedgers } = network;
  const { eventsBytes, instructions, memoryBytes } = TRANSACTION_LIMITS;
  const numbers = [
    ...[Number(BASE_RESERVE_STROOPS), eventsBytes, instructions, memoryBytes],
    ...[minTemporaryLedgers, minPersistentLedgers, MAX_ENTRY_TTL_LEDGERS],
    ...Object.values(FEES),
    ...Object.values(RENT),
    ...Object.values(table.costs).flat(),
  ];
  return pack(network.id, ...numbers.map(BigInt));
}
