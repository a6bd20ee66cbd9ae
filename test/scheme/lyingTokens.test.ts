import { setTimeout as sleep } from 'node:timers/promises';
import { Address, xdr, type Keypair } from '@stellar/stellar-sdk';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ContractName } from '../../sandbox/contracts/built.ts';
import { openCatalog } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, FacilitatorRequest } from '../../src/contract/index.ts';
import {
  outcomeOf,
  PAID,
  refusedWith,
  useContractStage,
  type ContractPayment,
} from '../support/contractStage.ts';
import { AMOUNT, USDC } from '../support/payments.ts';
import { address, i128, invocationOf, sign, type Draft } from '../support/paymentsDraft.ts';
import { CEILING_STROOPS, silent } from '../support/service.ts';
import { bytes, u32 } from '../../sandbox/contracts/wallets.ts';

const stage = useContractStage();
let payer: Keypair;
beforeAll(async () => {
  payer = await stage.account();
});

const NOT_EXECUTED = 'invalid_exact_stellar_payload_simulation_failed';
const A_SECOND_MS = 1_100;
const HOARD = 1_000_000n;
/** Rounds of the burner's work: more than any network allows, and more than the default ceiling of the fee pays. */
const BEYOND_THE_NETWORK = 200_000;
const BEYOND_THE_OPERATOR = 8_000;
const bool = (value: boolean): xdr.ScVal => xdr.ScVal.scvBool(value);

/** A new token, of which the payer has enough. */
async function token(name: ContractName, ...args: xdr.ScVal[]): Promise<string> {
  const asset = await stage.contracts.deploy(name, args);
  await stage.contracts.invoke(asset, 'mint', address(payer.publicKey()), i128(HOARD));
  return asset;
}

/** The same payment, which asks for a listing. */
function listed(request: FacilitatorRequest, url: string): FacilitatorRequest {
  const info = { input: { type: 'http', method: 'GET' } };
  const extensions = { bazaar: { info, schema: { type: 'object' } } };
  return { ...request, paymentPayload: { ...request.paymentPayload, resource: { url }, extensions } };
}

/** A payment in a new token. */
async function paymentIn(name: ContractName, ...args: xdr.ScVal[]): Promise<ContractPayment> {
  return stage.payment(payer, { asset: await token(name, ...args) });
}

test('an honest token that is no Stellar asset contract: valid, and settles', async () => {
  const payment = await paymentIn('plain');
  expect(await outcomeOf(stage, payment)).toMatchObject(PAID);
  expect(await stage.balance(payment.asset, payment.payer)).toBe(HOARD - AMOUNT);
});

test('the catalog marks each such token, honest or not, but no Stellar asset contract', async () => {
  const catalog = await openCatalog({ dbPath: ':memory:', log: silent });
  onTestFinished(() => catalog.close());
  const facilitator = await stage.open({ catalog });
  const marksOf = async (asset: string): Promise<unknown> => {
    const url = `https://api.example.com/${asset}`;
    const { request } = await stage.payment(payer, { asset });
    await facilitator.settle(listed(request, url));
    const answer = await fetch(`${facilitator.url}/discovery/resources`);
    const { items } = (await answer.json()) as DiscoveryListResponse;
    return items.find(({ resource }) => resource === url)!.unverifiedAssets;
  };
  for (const asset of [await token('plain'), await token('hollow', bool(true))])
    expect(await marksOf(asset)).toEqual([asset]);
  expect(await marksOf(USDC)).toBeUndefined();
});

describe('a token that announces the transfer and moves nothing', () => {
  test('is let through, since verify goes by the event: it settles, and nothing arrives', async () => {
    const payment = await paymentIn('hollow', bool(true));
    expect(await outcomeOf(stage, payment)).toMatchObject({ ...PAID, received: 0n });
  });

  test('may be settled again and again, if it does not ask for the payer’s authorization', async () => {
    const payment = await paymentIn('hollow', bool(false));
    expect(await outcomeOf(stage, payment)).toMatchObject({ ...PAID, received: 0n });
    expect(await outcomeOf(stage, payment)).toMatchObject({ ...PAID, received: 0n });
  });
});

describe('a token that keeps a part of each transfer', () => {
  test('is refused if its event says what arrives', async () => {
    const code = 'invalid_exact_stellar_payload_event_wrong_amount';
    expect(await outcomeOf(stage, await paymentIn('fee', bool(true)))).toMatchObject(refusedWith(code));
  });

  test('is let through if its event says what was sent: it settles, and less arrives', async () => {
    const payment = await paymentIn('fee', bool(false));
    expect(await outcomeOf(stage, payment)).toMatchObject({ ...PAID, received: (AMOUNT * 9n) / 10n });
  });
});

test('a token that announces one transfer twice is refused', async () => {
  const code = 'invalid_exact_stellar_payload_multiple_transfers';
  expect(await outcomeOf(stage, await paymentIn('double'))).toMatchObject(refusedWith(code));
});

describe('a token that calls transfer again within its transfer', () => {
  const none = xdr.ScVal.scvVoid();
  const victim = () => address(payer.publicKey());

  /** The transfer of USDC that the token makes, which the payer signs as well. */
  function theft({ args: [from, , amount] }: Draft, thief: string): ReturnType<typeof invocationOf> {
    const contract = Address.fromString(USDC).toScAddress();
    return invocationOf({ contract, functionName: 'transfer', args: [from!, address(thief), amount!] });
  }

  test('is refused if it calls itself: the host allows no re-entry', async () => {
    const payment = await paymentIn('reentrant', none, victim(), bool(true));
    expect(await outcomeOf(stage, payment)).toMatchObject(refusedWith(NOT_EXECUTED));
  });

  test('is refused if it takes another asset of the payer, who has not signed for that', async () => {
    const thief = (await stage.account()).publicKey();
    const before = await stage.balance(USDC, payer.publicKey());
    const payment = await paymentIn('reentrant', address(USDC), address(thief), bool(true));
    expect(await outcomeOf(stage, payment)).toMatchObject(refusedWith(NOT_EXECUTED));
    expect(await stage.balance(USDC, payer.publicKey())).toBe(before);
  });

  interface Signed {
    /** Where the payer's authorization of the theft stands, beside that of the transfer or below it. */
    isBelow: boolean;
    /** Whether the token asks for the payer's authorization of its own transfer. */
    asks: boolean;
    code: string;
  }

  const WRONG_ASSET = 'invalid_exact_stellar_payload_event_wrong_asset';
  const signed: Record<string, Signed> = {
    'as a part of the transfer': { isBelow: true, asks: true, code: WRONG_ASSET },
    // The host takes none but the parts of an authorization that is in use.
    'by itself': { isBelow: false, asks: true, code: NOT_EXECUTED },
    'by itself, and the token does not ask for the other': { isBelow: false, asks: false, code: WRONG_ASSET },
  };

  test.for(Object.keys(signed))('is refused even if the payer has signed for that too, %s', async (name) => {
    const { isBelow, asks, code } = signed[name]!;
    const generous = await stage.open({ maxTransactionFeeStroops: 2_000_000 });
    const thief = (await stage.account()).publicKey();
    const asset = await token('reentrant', address(USDC), address(thief), bool(asks));
    const before = await stage.balance(USDC, payer.publicKey());
    const payment = await stage.payment(payer, { asset }, (draft) => {
      const [entry] = draft.entries;
      const stolen = theft(draft, thief);
      if (isBelow) entry!.invocation = invocationOf(draft, [stolen]);
      else draft.entries.push({ ...entry!, nonce: -entry!.nonce, invocation: stolen });
      for (const each of draft.entries) sign(each, payer);
    });
    expect(await outcomeOf(stage, payment, generous)).toMatchObject(refusedWith(code));
    expect(await stage.balance(USDC, payer.publicKey())).toBe(before);
  });
});

describe('a token that burns the budget', () => {
  test('is refused beyond what the network allows', async () => {
    const payment = await paymentIn('burner', u32(BEYOND_THE_NETWORK));
    expect(await outcomeOf(stage, payment)).toMatchObject(refusedWith(NOT_EXECUTED));
  });

  test('is refused for its fee beyond what the operator pays', async () => {
    const payment = await paymentIn('burner', u32(BEYOND_THE_OPERATOR));
    const code = 'invalid_exact_stellar_payload_fee_exceeds_maximum';
    const thrifty = await stage.open({ maxTransactionFeeStroops: CEILING_STROOPS });
    expect(await outcomeOf(stage, payment, thrifty)).toMatchObject(refusedWith(code));
  });

  test('settles below both', async () => {
    expect(await outcomeOf(stage, await paymentIn('burner', u32(100)))).toMatchObject(PAID);
  });
});

describe('a token that replaces its code', () => {
  test('is judged by its new code when it is settled', async () => {
    const payment = await paymentIn('upgrading');
    expect(await stage.facilitator.verify(payment.request)).toMatchObject({ isValid: true });
    await stage.contracts.invoke(payment.asset, 'upgrade', bytes(await stage.contracts.upload('double')));
    const code = 'invalid_exact_stellar_payload_multiple_transfers';
    expect(await outcomeOf(stage, payment)).toMatchObject(refusedWith(code));
  });

  test('between the simulation and the ledger moves all or nothing, and the answer says which', async () => {
    const payment = await paymentIn('upgrading');
    const code = bytes(await stage.contracts.upload('hollow'));
    await stage.stopLedgers();
    const { ended } = await stage.contracts.send(payment.asset, 'upgrade', code);
    // Both are in one ledger, in whichever order it has them.
    const settled = await stage.settleOnNextLedger(payment.request);
    await ended;
    if (!settled.success) expect(settled.errorReason).toBe('settle_exact_stellar_transaction_failed');
    expect(await stage.balance(payment.asset, payment.payTo)).toBe(settled.success ? AMOUNT : 0n);
  });
});

test('a token that turns into a lying one after the simulation is let through: it settles, and nothing arrives', async () => {
  const payment = await paymentIn('turning');
  await stage.stopLedgers();
  const { ended } = await stage.contracts.send(payment.asset, 'turn');
  await stage.closeLedger();
  await ended;
  await sleep(A_SECOND_MS);
  expect(await stage.settleOnNextLedger(payment.request)).toMatchObject({ success: true });
  expect(await stage.balance(payment.asset, payment.payTo)).toBe(0n);
});
