/** What the contract says in words of payments: who pays what, and when. */
import fc from 'fast-check';
import type {
  FacilitatorRequest,
  SettlementStatus,
  SettleResponse,
  VerifyResponse,
} from '../../../../src/contract/index.ts';
import { codeOf } from '../../../support/answerCode.ts';
import type { Context } from '../context.ts';
import { differs } from '../differs.ts';
import { jsonRequest, type Answer } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import { receiptComplaints } from '../receipts.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { LISTING_DEFECTS, TERMS_DEFECTS } from '../defects.ts';

/** The code of a payment that was used. */
const USED = 'invalid_exact_stellar_payload_simulation_failed';

export function paymentRules(context: Context, subjects: readonly string[]): Rule[] {
  const { service } = context;
  const verify = context.operation('verifyPayment');
  const settle = context.operation('settlePayment');
  const status = context.operation('getSettlementStatus');

  return [
    rule(
      'verifyPayment: a payment of a stock client is valid, as often as one asks, and nothing moves',
      6,
      fc.constant(null),
      async () => {
        const payment = await service.payment();
        const payer = service.payerOf(payment);
        const before = balancesOf(payment, payer);
        for (let nth = 0; nth < 2; nth += 1) {
          const request = jsonRequest(verify.path, payment);
          const answer = await context.send(verify, request);
          const complaints = differs('the verdict', bodyOf(answer), { isValid: true, payer });
          context.complain(request, answer, complaints);
        }
        await ledgerCloses();
        const moved = differs('balances', balancesOf(payment, payer), before);
        if (moved.length > 0) throw new Error(`verify moved money: ${moved.join()}`);
      },
    ),
    rule(
      'verifyPayment: fields that nobody documented change no verdict',
      10,
      undocumented(),
      async (spread) => {
        const payment = await context.goodPayment();
        const request = jsonRequest(verify.path, spread(payment));
        const answer = await context.send(verify, request);
        const complaints = differs('the verdict', bodyOf(answer), {
          isValid: true,
          payer: service.payerOf(payment),
        });
        context.complain(request, answer, complaints);
      },
    ),
    ruleForEach(
      'verifyPayment, settlePayment: a payment that is not the one asked for is refused with its code, and nothing moves',
      TERMS_DEFECTS,
      async (defect) => {
        const good = await context.goodPayment();
        const payer = service.payerOf(good);
        const before = balancesOf(good, payer);
        const total = await listed();
        const spoiled = defect.spoil(structuredClone(good));
        const expected = { statuses: [200], codes: [defect.code] };

        const verified = jsonRequest(verify.path, spoiled);
        const verdict = await context.send(verify, verified, expected, defect.rule);
        const { isValid, payer: shown } = bodyOf(verdict) as VerifyResponse;
        const complaints = [
          ...(isValid ? ['it is valid'] : []),
          ...(defect.showsPayer && shown !== payer ? [`the payer is ${shown}, not ${payer}`] : []),
        ];
        context.complain(verified, verdict, complaints, defect.rule);

        const settled = jsonRequest(settle.path, spoiled);
        const end = await context.send(settle, settled, expected, defect.rule);
        const body = bodyOf(end) as SettleResponse;
        const network = spoiled.paymentRequirements.network;
        const wrong = [
          ...(body.success ? ['it is settled'] : []),
          ...differs('the network', body.network, network),
          ...differs('balances', balancesOf(good, payer), before),
          ...listingComplaints(null, end.headers['extension-responses']),
          ...differs('listings', await listed(), total),
          ...(defect.showsPayer && body.payer !== payer ? [`the payer is ${body.payer}, not ${payer}`] : []),
        ];
        context.complain(settled, end, wrong, defect.rule);
      },
    ),
    rule(
      'settlePayment: a payment of a stock client settles once: on the ledger, in full, and listed',
      6,
      fc.option(fc.constantFrom(...subjects, 'something new'), { freq: 2 }),
      async (subject) => {
        const payment = await service.payment(subject ?? undefined);
        const payer = service.payerOf(payment);
        const before = balancesOf(payment, payer);
        const total = await listed();
        const verified = jsonRequest(verify.path, payment);
        await context.send(verify, verified);
        const request = jsonRequest(settle.path, payment);
        // Both at once: one of them settles it.
        const answers = await Promise.all([context.send(settle, request), context.send(settle, request)]);
        const [answer, others] = settledOf(answers);
        if (!answer) return context.complain(request, answers[0], ['a good payment does not settle']);
        const settled = bodyOf(answer) as SettleResponse;
        const { transaction, network } = settled;
        const amount = BigInt(payment.paymentRequirements.amount);
        const paid = {
          payer: String(BigInt(before.payer) - amount),
          payTo: String(BigInt(before.payTo) + amount),
        };
        const complaints = [
          ...(others.some((other) => (bodyOf(other) as SettleResponse).success) ? ['it settles twice'] : []),
          ...others.flatMap((other) => differs('the code of the other', codeOf(bodyOf(other)), USED)),
          ...receiptComplaints(settled, await context.read('getReceiptKeys'), payment),
          ...differs('the answer', settled, {
            extensions: settled.extensions,
            success: true,
            transaction,
            network: payment.paymentRequirements.network,
            payer,
          }),
          ...differs('the network', network, payment.paymentRequirements.network),
          ...differs('balances', balancesOf(payment, payer), paid),
          ...ledgerComplaints(transaction),
          ...listingComplaints(subject, answer.headers['extension-responses']),
        ];
        context.complain(request, answer, complaints);
        const added = (await listed()) - total;
        if (added < 0 || added > (subject === null ? 0 : 1))
          context.complain(request, answer, [`${added} listings were added`]);

        for (const asked of [payment, { transaction }]) {
          const question = jsonRequest(status.path, asked);
          const told = await context.send(status, question);
          const { status: state, transaction: named } = bodyOf(told) as SettlementStatus;
          context.complain(question, told, [
            ...differs('the status', state, 'settled'),
            ...differs('the transaction', named, transaction),
          ]);
        }

        const used = { statuses: [200], codes: [USED] };
        const again = await context.send(settle, request, used);
        const twice = [
          ...differs('balances', balancesOf(payment, payer), paid),
          ...differs('the payer', (bodyOf(again) as SettleResponse).payer, payer),
        ];
        context.complain(request, again, twice);
        await context.send(verify, verified, used);
      },
    ),
    ruleForEach(
      'settlePayment: a declaration with a defect costs the listing, never the payment',
      LISTING_DEFECTS,
      async (defect) => {
        const payment = await service.payment(subjects[0]);
        const total = await listed();
        const spoiled = defect.spoil(structuredClone(payment), await service.payment());
        const request = jsonRequest(settle.path, spoiled);
        const answer = await context.send(settle, request, undefined, defect.rule);
        const { success } = bodyOf(answer) as SettleResponse;
        const outcome = outcomeOf(answer.headers['extension-responses']);
        const complaints = [
          ...(success ? [] : ['it does not settle']),
          ...differs('the code', outcome?.code, defect.code),
          ...differs('the status', outcome?.status, 'rejected'),
          ...differs('listings', await listed(), total),
        ];
        context.complain(request, answer, complaints, defect.rule);
      },
    ),
  ];

  async function listed(): Promise<number> {
    const { pagination } = await context.read('listResources', [['limit', '1']]);
    return pagination.total as number;
  }

  function balancesOf({ paymentRequirements: { payTo } }: FacilitatorRequest, payer: string) {
    return { payer: String(service.sandbox.usdc(payer)), payTo: String(service.sandbox.usdc(payTo)) };
  }

  async function ledgerCloses(): Promise<void> {
    const { network } = service.sandbox;
    const before = network.latestLedger;
    while (network.latestLedger < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  function ledgerComplaints(hash: string): string[] {
    const answer = service.sandbox.network.rpc('getTransaction', { hash });
    const status = 'result' in answer ? (answer.result as { status: string }).status : 'unknown';
    return status === 'SUCCESS' ? [] : [`the ledger has no such transaction: ${status}`];
  }
}

/** Fields in places where the contract allows further ones. */
function undocumented(): fc.Arbitrary<(payment: FacilitatorRequest) => object> {
  const note = { note: fc.jsonValue({ maxDepth: 1 }) };
  return fc
    .record({ body: fc.record(note), payload: fc.record(note), terms: fc.record(note), version: fc.nat() })
    .map(({ body, payload, terms, version }) => ({ paymentPayload, paymentRequirements }) => ({
      ...body,
      x402Version: version,
      paymentPayload: { ...payload, ...paymentPayload },
      paymentRequirements: { ...terms, ...paymentRequirements },
    }));
}

interface Outcome {
  status: string;
  code?: string;
}

function outcomeOf(header: string | string[] | undefined): Outcome | undefined {
  if (header === undefined) return undefined;
  const { bazaar } = JSON.parse(Buffer.from(String(header), 'base64').toString('utf8')) as {
    bazaar?: Outcome;
  };
  return bazaar;
}

function listingComplaints(subject: string | null, header: string | string[] | undefined): string[] {
  const outcome = outcomeOf(header);
  if (subject === null)
    return outcome === undefined ? [] : ['nothing was to be listed, and an outcome is told'];
  return differs('the outcome of the listing', outcome, { status: 'success' });
}

/** The answer that settled, and the others. */
function settledOf(answers: readonly Answer[]): [Answer | undefined, Answer[]] {
  const settled = answers.find((answer) => (bodyOf(answer) as SettleResponse).success);
  return [settled, answers.filter((answer) => answer !== settled)];
}
