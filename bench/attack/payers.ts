import { Keypair } from '@stellar/stellar-sdk';
import { requestFor, requirementsFor, signTransfer } from '../../test/support/payments.ts';
import type { Network } from '../network.ts';

const STARTING_USDC = 1_000_000_000n;
/** Ledgers for which an authorization holds: longer than an attack, and fewer than sellers allow. */
const HOLDS_LEDGERS = 200;
const ACCOUNTS_AT_ONCE = 16;

export interface Transfer {
  payer: Keypair;
  payTo: string;
  amount?: bigint;
  /** Signs it; the payer unless it is forged. */
  signer?: Keypair;
}

/** Accounts with USDC, and payments that they sign without asking the network. */
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
    const expiration = latest!.sequence + HOLDS_LEDGERS;
    return Array.from({ length: count }, () => {
      nonce += 1n;
      const from = payer.publicKey();
      return JSON.stringify(
        requestFor(requirements, signTransfer({ key: signer, from, requirements, expiration, nonce })),
      );
    });
  }

  async function stranger(): Promise<string[]> {
    const [payer, seller] = [await account(), await account()];
    return sign({ payer, payTo: seller.publicKey() }, 1);
  }

  return {
    account,
    sign,
    async strangers(count) {
      const bodies: string[] = [];
      while (bodies.length < count) {
        const length = Math.min(ACCOUNTS_AT_ONCE, count - bodies.length);
        bodies.push(...(await Promise.all(Array.from({ length }, stranger))).flat());
      }
      return bodies;
    },
  };
}
