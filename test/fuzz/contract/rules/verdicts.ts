/** What the contract says in words of verdicts: which check names the code, and what does not matter. */
import { Account, MuxedAccount } from '@stellar/stellar-sdk';
import fc from 'fast-check';
import type { FacilitatorRequest, SupportedResponse } from '../../../../src/contract/index.ts';
import { codeOf } from '../../../support/answerCode.ts';
import type { Context } from '../context.ts';
import { TERMS_DEFECTS, type TermsDefect } from '../defects.ts';
import { jsonRequest } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { TRANSACTION_CHANGES } from '../transactions.ts';
import { anyJson } from '../values.ts';

const UNSUPPORTED_KIND = 'svc_unsupported_kind';

export function verdictRules(context: Context): Rule[] {
  const verify = context.operation('verifyPayment');
  // The kind is looked at first, then the scheme's checks run in the order of its codes.
  const order = new Set([UNSUPPORTED_KIND, ...context.document.reasonRows.map(({ code }) => code)]);
  const codes = [...order].filter((code) => TERMS_DEFECTS.some((defect) => defect.code === code));
  const pairs = codes.flatMap((first, nth) => codes.slice(nth + 1).map((second) => [first, second] as const));

  return [
    rule(
      'verifyPayment: of two defects the one that is checked first names the code',
      2,
      fc.nat(),
      async (nth) => {
        for (const [first, second] of pairs) {
          const [one, two] = [defectOf(first, nth), defectOf(second, nth)];
          const spoiled = one.spoil(two.spoil(structuredClone(await context.goodPayment())));
          const expected = { statuses: [200], codes: [first] };
          const rule = `${one.rule}, and ${two.rule}`;
          await context.send(verify, jsonRequest(verify.path, spoiled), expected, rule);
        }
      },
    ),
    ruleForEach(
      'verifyPayment: a transaction that is changed in one place is refused with its code, or as good as before',
      TRANSACTION_CHANGES,
      async (change) => {
        const { signers } = (await context.read('getSupported')) as SupportedResponse;
        for (const signer of Object.values(signers).flat()) {
          const { paymentPayload, ...rest } = await context.goodPayment();
          const transaction = change.apply(String(paymentPayload.payload?.transaction), signer);
          const request = jsonRequest(verify.path, {
            ...rest,
            paymentPayload: { ...paymentPayload, payload: { transaction } },
          });
          const answer = await context.send(verify, request, undefined, change.rule);
          const code = codeOf(bodyOf(answer));
          if (code !== change.code)
            context.complain(request, answer, [`the code is ${code}, not ${change.code}`], change.rule);
        }
      },
    ),
    rule(
      'verifyPayment: what the contract calls of no matter changes no verdict',
      40,
      ofNoMatter(),
      async (change) => {
        const payment = await context.goodPayment();
        const request = jsonRequest(verify.path, change(payment));
        const answer = await context.send(verify, request);
        const { isValid, payer } = bodyOf(answer) as { isValid: boolean; payer?: string };
        if (!isValid || payer !== context.service.payerOf(payment))
          context.complain(request, answer, ['a good payment is not valid']);
      },
    ),
    rule(
      'verifyPayment: a stock client pays to accounts of every form, and every amount',
      4,
      fc.record({
        muxed: fc.boolean(),
        amount: fc.constantFrom('1', '9999999'),
        extra: fc.constantFrom({ areFeesSponsored: true }, { areFeesSponsored: true, note: 'x' }),
      }),
      async ({ muxed, ...changes }) => {
        const account = context.service.sandbox.account(0n).publicKey();
        const payTo = muxed ? new MuxedAccount(new Account(account, '0'), '7').accountId() : account;
        const payment = await context.service.payment(undefined, { ...changes, payTo });
        const request = jsonRequest(verify.path, payment);
        const answer = await context.send(verify, request);
        if (!(bodyOf(answer) as { isValid: boolean }).isValid)
          context.complain(request, answer, ['a good payment is not valid']);
      },
    ),
  ];
}

/** One of those with this code. */
function defectOf(code: string, nth: number): TermsDefect {
  const defects = TERMS_DEFECTS.filter((defect) => defect.code === code);
  return defects[nth % defects.length]!;
}

/**
 * The terms that count are `paymentRequirements`: of `accepted` only scheme and network matter. Of `resource` and
 * `extensions` nothing does, nor of fields that nobody documented.
 */
function ofNoMatter(): fc.Arbitrary<(payment: FacilitatorRequest) => object> {
  const ofPayload = fc.record(
    {
      accepted: fc.record(
        {
          asset: anyJson(),
          amount: anyJson(),
          payTo: anyJson(),
          maxTimeoutSeconds: anyJson(),
          extra: anyJson(),
        },
        { requiredKeys: [] },
      ),
      resource: anyJson(),
      extensions: fc.oneof(anyJson(), fc.record({ bazaar: anyJson() })),
      note: anyJson(),
    },
    { requiredKeys: ['accepted'] },
  );
  const extra = fc.option(fc.constantFrom(null, {}, { areFeesSponsored: false, note: 1 }), {
    nil: undefined,
  });
  return fc.tuple(ofPayload, extra).map(([changed, extra]) => ({ paymentPayload, paymentRequirements }) => {
    const { scheme, network } = paymentRequirements;
    return {
      paymentPayload: { ...paymentPayload, ...changed, accepted: { ...changed.accepted, scheme, network } },
      paymentRequirements: { ...paymentRequirements, ...(extra !== undefined && { extra }) },
    };
  });
}
