import { xdr, type Keypair } from '@stellar/stellar-sdk';
import type { Network } from '../../../sandbox/network.ts';
import type { FacilitatorRequest } from '../../../src/contract/index.ts';
import { NATIVE, requirementsFor, signTransfer, USDC } from '../../support/payments.ts';
import { tamper, type CredentialsType, type Draft } from '../../support/paymentsDraft.ts';
import { keyOf } from '../../world/network.ts';
import type { Deserved } from '../../world/oracle/facts.ts';
import { requestDeclaring } from '../../world/payment.ts';
import type { Transfer } from '../../world/transaction.ts';
import type { NetworkFunds } from './funds.ts';

/** What is wrong with a payment from the start. */
export type Defect = 'forged' | 'expired' | 'good for too long' | 'of another amount' | 'unsigned';

export interface PaymentTerms {
  readonly payer: number;
  readonly payee: number;
  readonly asset: 'usdc' | 'native';
  /** Tenths of what the payer has at first. */
  readonly tenths: number;
  readonly timeoutSeconds: number;
  readonly credentials: CredentialsType;
  readonly defect: Defect | null;
  /** Says what its extension earns. */
  readonly deserves: Deserved;
  /** Whether it has the nonce of the payer's payment before it: at most one of them can be spent. */
  readonly reusesNonce: boolean;
}

export interface Payment {
  readonly name: string;
  readonly terms: PaymentTerms;
  readonly transfer: Transfer;
  readonly nonce: bigint;
  /** `address:nonce`, and the entry itself (base64 XDR). */
  readonly authorization: string;
  readonly entry: string;
  /** The last ledger in which it holds. */
  readonly expiration: number;
  readonly deserves: Deserved;
  /** What a seller sends; a new object each time. */
  request(): FacilitatorRequest;
}

/** Those who pay and are paid. */
export interface Customers {
  readonly payments: readonly Payment[];
  pay(terms: PaymentTerms): Payment;
  /** Of an account that nobody else pays from. */
  fresh(): Payment;
  /** Gives a payer some tenths more. */
  fund(payer: number, asset: 'usdc' | 'native', tenths: number): void;
}

/** One tenth of what a payer has at first, in base units. */
const TENTH = 1_000_000n;
const PLAIN_PAYERS = 4;
const CONTRACT_PAYERS = 2;
export const PAYERS = PLAIN_PAYERS + CONTRACT_PAYERS;
export const PAYEES = 4;
/** Stock clients count with ledgers of this length. */
const CLIENT_LEDGER_SECONDS = 5;

const ASSETS = { usdc: USDC, native: NATIVE };

interface Payer {
  readonly key: Keypair;
  readonly address: string;
}

export function createCustomers(network: Network, funds: NetworkFunds): Customers {
  const all = { usdc: 10n * TENTH, native: 10n * TENTH };
  const payers: Payer[] = [];
  function openPayer(isContract: boolean): number {
    const key = keyOf(`payer ${payers.length}`);
    const address = isContract ? network.contractAccount(key.rawPublicKey()) : key.publicKey();
    funds.open('payer', address, all);
    return payers.push({ key, address }) - 1;
  }
  for (let nth = 0; nth < PAYERS; nth += 1) openPayer(nth >= PLAIN_PAYERS);
  const payees = Array.from({ length: PAYEES }, (_, nth) => keyOf(`payee ${nth}`).publicKey());
  for (const address of payees) funds.open('payee', address, { usdc: 0n, native: 0n });
  const payments: Payment[] = [];

  function pay(terms: PaymentTerms): Payment {
    const { asset: kind, tenths, timeoutSeconds: maxTimeoutSeconds, credentials, defect, deserves } = terms;
    const { key, address: from } = payers[terms.payer]!;
    const [to, asset, amount] = [payees[terms.payee]!, ASSETS[kind], BigInt(tenths) * TENTH];
    const { nonce: lastNonce = 0n } = payments.findLast(({ transfer }) => transfer.from === from) ?? {};
    const nonce = lastNonce + (terms.reusesNonce && lastNonce > 0n ? 0n : 1n);
    const expiration = network.latestLedger + ledgersOf(maxTimeoutSeconds, defect);
    const requirements = requirementsFor(to, { asset, amount: String(amount), maxTimeoutSeconds });
    const signed = signTransfer({
      key: defect === 'forged' ? keyOf('nobody') : key,
      from,
      requirements:
        defect === 'of another amount' ? { ...requirements, amount: String(amount + 1n) } : requirements,
      expiration,
      nonce,
      credentials,
    });
    const transaction = defect === 'unsigned' ? tamper(signed, unsign) : signed;
    const name = `p${payments.length}`;
    const declaration = { url: `https://${name}.seller.test/`, description: name, deserves };
    const payment: Payment = {
      name,
      terms,
      transfer: { asset, from, to, amount },
      nonce,
      authorization: `${from}:${nonce}`,
      entry: entryIn(transaction),
      expiration,
      deserves,
      request: () => requestDeclaring(declaration, requirements, transaction),
    };
    payments.push(payment);
    return payment;
  }

  return {
    payments,
    pay,
    fresh: () =>
      pay({
        payer: openPayer(false),
        payee: 0,
        asset: 'usdc',
        tenths: 1,
        timeoutSeconds: 300,
        credentials: 'address',
        defect: null,
        deserves: 'a listing',
        reusesNonce: false,
      }),
    fund: (payer, asset, tenths) => funds.mint(payers[payer]!.address, ASSETS[asset], BigInt(tenths) * TENTH),
  };
}

function ledgersOf(timeoutSeconds: number, defect: Defect | null): number {
  if (defect === 'expired') return -1;
  // More ledgers than there could be seconds.
  if (defect === 'good for too long') return timeoutSeconds + 100;
  return Math.ceil(timeoutSeconds / CLIENT_LEDGER_SECONDS);
}

function unsign({ entries }: Draft): void {
  entries[0]!.signature = xdr.ScVal.scvVoid();
}

function entryIn(transaction: string): string {
  const envelope = xdr.TransactionEnvelope.fromXdr(transaction, 'base64');
  const body = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.operations[0]?.body : undefined;
  if (body?.type !== 'invokeHostFunction') throw new Error('this is no payment');
  return body.invokeHostFunctionOp.auth[0]!.toXdr('base64');
}
