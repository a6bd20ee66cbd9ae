import { Keypair, xdr } from '@stellar/stellar-sdk';
import { requestFor, requirementsFor, signTransfer } from '../../test/support/payments.ts';
import { tamper } from '../../test/support/paymentsDraft.ts';
import type { Network } from '../network.ts';

const STARTING_USDC = 1_000_000_000n;
/** Ledgers for which an authorization holds: longer than an attack, and fewer than sellers allow. */
const HOLDS_LEDGERS = 200;
const AT_ONCE = 16;
/** Stock clients add this bid to the resource fee. */
const INCLUSION_FEE_STROOPS = 100;

export interface Transfer {
  payer: Keypair;
  payTo: string;
  amount?: bigint;
  /** Signs it; the payer unless it is forged. */
  signer?: Keypair;
}

/** Accounts with USDC, and payments that they sign. */
export interface Payers {
  account(): Promise<Keypair>;
  /** Request bodies for verify and settle, as JSON, each with an authorization of its own. */
  sign(transfer: Transfer, count: number): Promise<string[]>;
  /** As `sign`: each from a payer of its own to a seller of its own. */
  strangers(count: number): Promise<string[]>;
}

export function createPayers(network: Network): Payers {
  let nonce = BigInt(Date.now());

  async function account(): Promise<Keypair> {
    const key = Keypair.random();
    await network.mint(key.publicKey(), STARTING_USDC);
    return key;
  }

  async function sign({ payer, payTo, amount, signer = payer }: Transfer, count: number): Promise<string[]> {
    const [latest] = await network.latestLedgers(1);
    const requirements = requirementsFor(payTo, amount === undefined ? {} : { amount: String(amount) });
    const terms = { from: payer.publicKey(), requirements, expiration: latest!.sequence + HOLDS_LEDGERS };
    return severally(count, async () => {
      nonce += 1n;
      const signed = signTransfer({ key: signer, ...terms, nonce });
      return JSON.stringify(requestFor(requirements, await withResources(signed)));
    });
  }

  /** As stock clients send it, and as the peer wants it. What cannot be simulated stays as it is. */
  async function withResources(transaction: string): Promise<string> {
    const simulated = await network.rpc('simulateTransaction', { transaction });
    const { transactionData, minResourceFee } = simulated as Record<string, string>;
    if (transactionData === undefined) return transaction;
    return tamper(transaction, (draft) => {
      draft.fee = Number(minResourceFee) + INCLUSION_FEE_STROOPS;
      draft.ext = xdr.TransactionExt.sorobanData(
        xdr.SorobanTransactionData.fromXdr(transactionData, 'base64'),
      );
    });
  }

  async function stranger(): Promise<string> {
    const [payer, seller] = [await account(), await account()];
    const [body] = await sign({ payer, payTo: seller.publicKey() }, 1);
    return body!;
  }

  return { account, sign, strangers: (count) => severally(count, stranger) };
}

/** Some at a time. */
async function severally<Item>(count: number, make: () => Promise<Item>): Promise<Item[]> {
  const made: Item[] = [];
  while (made.length < count) {
    const length = Math.min(AT_ONCE, count - made.length);
    made.push(...(await Promise.all(Array.from({ length }, make))));
  }
  return made;
}
