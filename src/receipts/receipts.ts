import { hash } from 'node:crypto';
import type { ReceiptKeys, SettleResponse, SettlementStatement } from '../contract/index.ts';
import { keyFromSeed } from '../stellar/key.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import { ALGORITHM, encodePart, TYPE } from './jws.ts';

export const RECEIPT_EXTENSION = 'settlement-receipt';

/** What a receipt says, before the ledger is known. */
interface Paid extends Pick<SettlementStatement, 'network' | 'transaction' | 'payTo' | 'asset'> {
  readonly payer: string;
  /** Base units. */
  readonly amount: bigint;
  readonly resource: string | undefined;
}

export interface Receipts {
  /** The public keys: the one that signs first. */
  readonly keys: ReceiptKeys;
  /** Returns the extension of the answer; undefined if the network does not say which ledger took the payment, and when. */
  receiptOf(paid: Paid, ledgerClose: LedgerClose | undefined): SettleResponse['extensions'];
}

/** Creates what signs with the first of the seeds, each of 32 bytes in base64, and publishes the keys of all. */
export function createReceipts(seeds: readonly string[]): Receipts {
  const pairs = seeds.map((seed) => keyFromSeed(Buffer.from(seed, 'base64')));
  const [signing] = pairs;
  const keys = pairs.map(({ publicKey }) => publicJwk(publicKey));
  if (signing === undefined) throw new Error('receipts need a key');
  const header = encodePart({ alg: ALGORITHM, kid: keys[0]?.kid, typ: TYPE });

  return {
    keys: { keys },
    receiptOf(paid, ledgerClose) {
      if (ledgerClose === undefined) return undefined;
      const signed = `${header}.${encodePart(statementOf(paid, ledgerClose))}`;
      const signature = Buffer.from(signing.sign(Buffer.from(signed))).toString('base64url');
      return { [RECEIPT_EXTENSION]: { jws: `${signed}.${signature}` } };
    },
  };
}

/** The order of the fields never changes, so that a settlement always has the same receipt. Its time is the ledger's. */
function statementOf(
  { network, transaction, amount, asset, payer, payTo, resource }: Paid,
  { ledger, seconds }: LedgerClose,
): SettlementStatement {
  return {
    network,
    transaction,
    ledger,
    amount: String(amount),
    asset,
    payer,
    payTo,
    ...(resource !== undefined && { resource }),
    time: new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z'),
  };
}

function publicJwk(publicKey: Uint8Array): ReceiptKeys['keys'][number] {
  const key = { crv: 'Ed25519', kty: 'OKP', x: Buffer.from(publicKey).toString('base64url') } as const;
  // The thumbprint of RFC 7638 is over exactly these fields, in this order.
  const kid = hash('sha256', JSON.stringify(key), 'base64url');
  return { ...key, kid, alg: ALGORITHM, use: 'sig' };
}
