/** `npm run demo -- --wallets`: contract accounts, each with its own signature check, as payers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse, VerifyResponse } from '@x402/core/types';
import { createWallets, trick, type Wallet, type Wallets } from '../sandbox/contracts/wallets.ts';
import { units } from '../src/stellar/units.ts';
import { claim } from './claim.ts';
import { receiptOf } from './receipt.ts';
import { PRICE_BASE_UNITS } from './seller.ts';
import type { Stage } from './stage.ts';
import { shortened } from './story.ts';
import { bad, fact, good, line, paragraph, step, title } from './terminal.ts';
import { createWalletBuyer } from './walletBuyer.ts';

const PURSE = 1_000_000n;
/** Rounds of the costly wallet's check. They cost more than the default fee ceiling. */
const ROUNDS = 12_000;
/** Ledgers tell the time in whole seconds; this is a little more than one. */
const A_SECOND_MS = 1_100;
const POLL_INTERVAL_MS = 20;

const SIMULATION_FAILED = 'invalid_exact_stellar_payload_simulation_failed';
const FEE_TOO_HIGH = 'invalid_exact_stellar_payload_fee_exceeds_maximum';
const FAILED_ON_LEDGER = 'settle_exact_stellar_transaction_failed';

interface Payer {
  what: string;
  how: string;
  open: (wallets: Wallets) => Promise<Wallet>;
}

const HONEST: readonly Payer[] = [
  {
    what: 'An account with one ed25519 key',
    how: 'the contract holds one key; the signature has 64 bytes',
    open: (wallets) => wallets.ed25519(),
  },
  {
    what: 'A passkey',
    how: 'a secp256r1 key signs the envelope of WebAuthn',
    open: (wallets) => wallets.passkey(),
  },
  {
    what: 'A two-of-three account',
    how: 'two of its three keys sign',
    open: (wallets) => wallets.twoOfThree(),
  },
  {
    what: 'An account with a spending limit',
    how: `signs for at most ${units(PRICE_BASE_UNITS)} USDC at a time`,
    open: (wallets) => wallets.limited(PRICE_BASE_UNITS, PURSE),
  },
];

/** Throws if a claim is false. */
export async function tellWallets(stage: Stage): Promise<void> {
  title('Contract accounts as payers, on a Stellar network inside this process');
  // The stock seller tells its buyer the code of a refused verify only.
  const verdicts: VerifyResponse[] = [];
  stage.seller.x402.onAfterVerify(async ({ result }) => void verdicts.push(result));
  const wallets = createWallets({ deploy: async (name, args = []) => stage.network.deploy(name, args) });
  const open = async ({ open: make }: Pick<Payer, 'open'>): Promise<Wallet> => {
    const wallet = await make(wallets);
    stage.network.mint(wallet.address, PURSE);
    return wallet;
  };
  for (const [index, payer] of HONEST.entries()) {
    step(index + 1, `${payer.what} pays`);
    fact('how', payer.how);
    await expectPaid(stage, await open(payer));
  }
  step(5, 'An account with a spending limit rejects a payment above the limit');
  const thrifty = await open({ open: (all) => all.limited(PRICE_BASE_UNITS - 1n, PURSE) });
  await expectRefused(stage, thrifty, SIMULATION_FAILED, verdicts);

  step(6, 'An account whose signature check is too expensive is refused');
  const costly = await open({ open: (all) => all.costly(ROUNDS) });
  await expectRefused(stage, costly, FEE_TOO_HIGH, verdicts);

  step(7, 'An account accepts the payment at verify, and rejects it on the ledger');
  await tellChangeOfMind(stage, await open({ open: (all) => all.twoFaced() }));
}

/** The outcome of a purchase, and what the wallet paid for it. */
async function buy(
  { sandbox, network, seller }: Stage,
  wallet: Wallet,
): Promise<{ response: Response; paid: bigint }> {
  const pay = createWalletBuyer(wallet, sandbox.httpsUrl);
  const before = network.balances(wallet.address).usdc;
  const response = await pay(`${seller.url}?city=Porto`);
  return { response, paid: before - network.balances(wallet.address).usdc };
}

async function expectPaid(stage: Stage, wallet: Wallet): Promise<void> {
  fact('payer', wallet.address);
  const { response, paid } = await buy(stage, wallet);
  claim(response.status === 200, `the purchase is answered 200 (it is ${response.status})`);
  fact('200', await response.text());
  const { payer, transaction } = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
  const { ledger, feeStroops } = receiptOf(stage.network, transaction);
  fact('transaction', `${shortened(transaction)}, ledger ${ledger}, fee ${feeStroops} stroops`);
  claim(payer === wallet.address, 'the receipt names the wallet as payer');
  claim(paid === PRICE_BASE_UNITS, 'the wallet pays exactly the price');
  line(good(`Checked: the wallet paid ${units(paid)} USDC and no lumens.`));
}

async function expectRefused(
  stage: Stage,
  wallet: Wallet,
  code: string,
  verdicts: readonly VerifyResponse[],
): Promise<void> {
  fact('payer', wallet.address);
  const { response, paid } = await buy(stage, wallet);
  const reason = reasonIn(response);
  fact(String(response.status), bad(reason));
  paragraph('meaning', verdicts.at(-1)?.invalidMessage ?? 'no text');
  claim(response.status === 402 && reason === code, `the purchase is refused with ${code}`);
  claim(paid === 0n, 'the wallet pays nothing');
  line(good('Checked: the wallet paid nothing.'));
}

/** The wallet's trick starts one second after `play`: after the simulation, and before the ledger. */
async function tellChangeOfMind(stage: Stage, wallet: Wallet): Promise<void> {
  const { sandbox, network, cast } = stage;
  const sends = () => sandbox.calls.counts()['sendTransaction'] ?? 0;
  fact('payer', wallet.address);
  const feeAccount = cast['fee account'].publicKey();
  const before = network.balances(feeAccount).native;
  sandbox.faults.add({ kind: 'ledgersStop' });
  network.invoke(wallet.address, 'play', trick('RefuseLater'));
  const sent = sends();
  let isAnswered = false;
  const buying = buy(stage, wallet).finally(() => (isAnswered = true));
  while (sends() === sent && !isAnswered) await sleep(POLL_INTERVAL_MS);
  await sleep(A_SECOND_MS);
  sandbox.faults.clear();
  const { response, paid } = await buying;
  const reason = reasonIn(response);
  fact(String(response.status), bad(reason));
  paragraph('meaning', settlementIn(response)?.errorMessage ?? 'no text');
  claim(reason === FAILED_ON_LEDGER && paid === 0n, 'it fails on the ledger, and the wallet pays nothing');
  const cost = before - network.balances(feeAccount).native;
  claim(cost > 0n, 'the facilitator pays the fee of the failure');
  line(good(`Checked: the wallet paid nothing. The failure cost the facilitator ${cost} stroops.`));
  line('The facilitator refuses a payer whose payments keep failing (docs/operator-reference.md).');
}

/** Why the seller did not serve: what the facilitator answered to its verify, or else to its settle. */
function reasonIn(response: Response): string {
  const settlement = settlementIn(response);
  if (settlement !== undefined) return settlement.errorReason ?? 'no reason';
  return decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '').error ?? 'no reason';
}

function settlementIn({ headers }: Response): SettleResponse | undefined {
  const settled = headers.get('PAYMENT-RESPONSE');
  return settled === null ? undefined : decodePaymentResponseHeader(settled);
}
