import { writeFileSync } from 'node:fs';
import { StrKey } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { recipientRule } from '../../src/callers/policy/addresses.ts';
import type { PolicySettings } from '../../src/config/policy.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';
import { AMOUNT, NATIVE, requestFor, requirementsFor, USDC } from '../support/payments.ts';
import { policyWith } from '../support/policy.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { CEILING_STROOPS } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, sent } = settlementsOn(stage);

const muxedAccount = (account: string): string =>
  StrKey.encodeMed25519PublicKey(
    Buffer.concat([StrKey.decodeEd25519PublicKey(account), Buffer.from('0000000000000007', 'hex')]),
  );

interface Parties {
  payer: string;
  recipient: string;
}

interface Terms {
  amount?: bigint;
  /** Turns the recipient into another address of the same account. */
  to?: (recipient: string) => string;
}

/** Has a payment of USDC verified under a policy. Returns the code, or 'valid', and what it cost. */
async function verdict(
  policyFor: (parties: Parties) => Partial<PolicySettings>,
  { amount = AMOUNT, to = (recipient) => recipient }: Terms = {},
): Promise<{ code: string; calls: Record<string, number> }> {
  const [key, seller] = [stage.sandbox.account(), stage.sandbox.account(0n)];
  const [payer, recipient] = [key.publicKey(), seller.publicKey()];
  const { verify } = await stage.open({ policy: policyFor({ payer, recipient }) });
  const requirements = requirementsFor(to(recipient), { amount: String(amount) });
  const { transaction } = newPayment({ key, requirements });
  stage.sandbox.calls.reset();
  const { isValid, invalidReason = '' } = await verify(requestFor(requirements, transaction));
  return { code: isValid ? 'valid' : invalidReason, calls: stage.sandbox.calls.counts() };
}

const REFUSED = (code: string) => ({ code, calls: {} });
const VALID = { code: 'valid', calls: { simulateTransaction: 1 } };

describe('a list', () => {
  const lists: [rule: string, addressOf: (parties: Parties) => string][] = [
    ['asset', () => USDC],
    ['recipient', ({ recipient }) => recipient],
    ['payer', ({ payer }) => payer],
  ];
  const other: Record<string, string> = {
    asset: NATIVE,
    recipient: StrKey.encodeContract(Buffer.alloc(32, 1)),
    payer: StrKey.encodeContract(Buffer.alloc(32, 1)),
  };

  test.each(lists)(
    'that denies one %s refuses it without asking the network, and serves others',
    async (rule, of) => {
      const deny = (address: string) => policyWith(`${rule}s: { deny: [${address}] }`);
      expect(await verdict((parties) => deny(of(parties)))).toEqual(REFUSED(`svc_policy_${rule}`));
      expect(await verdict(() => deny(other[rule]!))).toEqual(VALID);
    },
  );

  test.each(lists)('that allows one %s serves it, and refuses others', async (rule, of) => {
    const allow = (address: string) => policyWith(`${rule}s: { allow: [${address}] }`);
    expect(await verdict((parties) => allow(of(parties)))).toEqual(VALID);
    expect(await verdict(() => allow(other[rule]!))).toEqual(REFUSED(`svc_policy_${rule}`));
  });

  test('means the account behind a muxed address, in the list and in the payment', async () => {
    const denied = REFUSED('svc_policy_recipient');
    const deny = (address: string) => policyWith(`recipients: { deny: [${address}] }`);
    expect(await verdict(({ recipient }) => deny(recipient), { to: muxedAccount })).toEqual(denied);
    expect(await verdict(({ recipient }) => deny(muxedAccount(recipient)))).toEqual(denied);
    const allow = ({ recipient }: Parties) => policyWith(`recipients: { allow: [${recipient}] }`);
    expect(await verdict(allow, { to: muxedAccount })).toEqual(VALID);
  });

  // The stock client cannot sign for one yet.
  test('means the contract behind a muxed contract', () => {
    const contract = StrKey.encodeContract(Buffer.alloc(32, 5));
    const payTo = encodeMuxedContract({ contract, id: 3n });
    const payment = { payer: undefined, payTo, asset: USDC, amount: AMOUNT };
    const { recipients } = policyWith(`recipients: { deny: [${contract}] }`).rules;
    expect(recipientRule(recipients!)(payment)).toMatchObject({ code: 'svc_policy_recipient' });
    expect(recipientRule(recipients!)({ ...payment, payTo: NATIVE })).toBeUndefined();
  });
});

describe('amounts', () => {
  const bounds = () => policyWith(`amounts: { ${USDC}: { least: '10', greatest: '20' } }`);

  test.each([
    [9n, 'svc_policy_amount_too_small'],
    [10n, 'valid'],
    [20n, 'valid'],
    [21n, 'svc_policy_amount_too_large'],
  ])('of %i, from 10 to 20, are %s', async (amount, code) => {
    expect(await verdict(bounds, { amount })).toMatchObject({ code });
  });

  test('of an asset that is not named have no bounds', async () => {
    const policy = () => policyWith(`amounts: { ${NATIVE}: { least: '${AMOUNT * 9n}' } }`);
    expect(await verdict(policy)).toEqual(VALID);
  });

  // At 0.3 stroops for a base unit, no binary fraction is exact.
  const least = (2n * BigInt(CEILING_STROOPS) * 10n) / 3n + 1n;
  const priced = `amounts: { ${USDC}: { stroopsPerBaseUnit: '0.3' } }`;

  test.each([
    ['the file', () => policyWith(`{ ${priced}, leastTimesFee: 2 }`)],
    ['the variable', () => ({ ...policyWith(priced), leastTimesFee: 2 })],
    [
      'the file, which wins',
      () => ({ ...policyWith(`{ ${priced}, leastTimesFee: 2 }`), leastTimesFee: 1_000 }),
    ],
  ])('must be worth twice the highest fee, to the base unit, by %s', async (_where, policy) => {
    const refused = REFUSED('svc_policy_amount_below_fee');
    expect(await verdict(policy, { amount: least - 1n })).toEqual(refused);
    expect(await verdict(policy, { amount: least })).toEqual(VALID);
  });

  test('that are priced may be worth anything if the file turns the variable off', async () => {
    const policy = () => ({ ...policyWith(`{ ${priced}, leastTimesFee: 0 }`), leastTimesFee: 2 });
    expect(await verdict(policy, { amount: 1n })).toEqual(VALID);
  });
});

test('no text says what a list or the path of the file holds', async () => {
  const denied = stage.sandbox.account(0n).publicKey();
  const { file, rules } = policyWith(`recipients: { allow: [${denied}] }`);
  const { verify, settle } = await stage.open({ policy: { file, rules } });
  const { request } = newPayment();
  const answers = JSON.stringify([await verify(request), await settle(request)]);
  expect(answers).toContain('The operator of this facilitator does not serve this recipient.');
  for (const hidden of [denied, file!]) expect(answers).not.toContain(hidden);
});

test('the rules come in their order, then the failures of the payer, then the check', async () => {
  const key = stage.sandbox.account(AMOUNT);
  const payer = key.publicKey();
  const priced = (least: bigint) => `amounts: { ${USDC}: { least: '${least}', stroopsPerBaseUnit: '0.1' } }`;
  const check = 'check: { url: http://127.0.0.1:1, ifSilent: refuse }';
  const lines = [
    `assets: { deny: [${USDC}] }`,
    `recipients: { allow: [${payer}] }`,
    `payers: { deny: [${payer}] }`,
    priced(AMOUNT + 1n),
    'leastTimesFee: 1000',
  ];
  const ladder = [
    ...lines.slice(0, 4).map((_, first) => lines.slice(first)),
    [priced(1n), 'leastTimesFee: 1000'],
    ['leastTimesFee: 0'],
  ].map((rules) => [...rules, check].join('\n'));

  const policy = { ...policyWith('leastTimesFee: 0'), serialAfterFailures: 1, refusedAfterFailures: 1 };
  const { settle, verify, readPolicyAgain } = await stage.open({ policy });
  stage.sandbox.stopLedgers();
  const failing = settle(newPayment({ key }).request);
  await sent(1);
  stage.sandbox.network.burn(payer, AMOUNT);
  stage.sandbox.network.closeLedger();
  expect(await failing).toMatchObject({ success: false });

  const codes: unknown[] = [];
  for (const yaml of ladder) {
    writeFileSync(policy.file!, yaml);
    readPolicyAgain();
    codes.push((await verify(newPayment({ key }).request)).invalidReason);
  }
  codes.push((await verify(newPayment().request)).invalidReason);
  expect(codes).toEqual([
    'svc_policy_asset',
    'svc_policy_recipient',
    'svc_policy_payer',
    'svc_policy_amount_too_small',
    'svc_policy_amount_below_fee',
    'svc_policy_failing_payer',
    'svc_policy_check_unavailable',
  ]);
});

describe('/supported', () => {
  test('names the only assets that are served', async () => {
    const { supported } = await stage.open({ policy: policyWith(`assets: { allow: [${USDC}, ${NATIVE}] }`) });
    const { kinds } = await supported();
    expect(kinds[0]!.extra).toEqual({ areFeesSponsored: true, assets: [USDC, NATIVE] });
  });

  test('names no assets if others are denied, or without a policy', async () => {
    const { supported } = await stage.open({ policy: policyWith(`assets: { deny: [${USDC}] }`) });
    for (const answer of [await supported(), await stage.facilitator.supported()])
      expect(answer.kinds[0]!.extra).toEqual({ areFeesSponsored: true });
  });
});

test('a payment that the policy serves is settled', async () => {
  const { settle } = await stage.open({ policy: policyWith(`assets: { allow: [${USDC}] }`) });
  const payment = newPayment();
  expectSettled(await settle(payment.request), payment);
});
