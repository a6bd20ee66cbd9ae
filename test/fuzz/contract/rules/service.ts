/** What the service says of itself. */
import { VERSION } from '../../../../src/process/version.ts';
import fc from 'fast-check';
import type { HealthResponse, SupportedResponse } from '../../../../src/contract/index.ts';
import { codeOf } from '../../../support/answerCode.ts';
import type { Context } from '../context.ts';
import { differs } from '../differs.ts';
import { getRequest, jsonRequest } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import { rule, type Rule } from '../rule.ts';

export function serviceRules(context: Context): Rule[] {
  const supported = context.operation('getSupported');
  const health = context.operation('getHealth');
  const verify = context.operation('verifyPayment');
  return [
    rule('getSupported, getHealth: they say what is served, and agree', 3, fc.constant(null), async () => {
      const [asked, askedHealth] = [getRequest(supported.path), getRequest(health.path)];
      const answer = await context.send(supported, asked);
      const answerHealth = await context.send(health, askedHealth);
      const { kinds, extensions, signers } = bodyOf(answer) as SupportedResponse;
      const said = bodyOf(answerHealth) as HealthResponse;
      const { network } = said;

      const kind = kinds.find(({ scheme }) => scheme === 'exact');
      const complaints = [
        ...(kind?.extra?.['areFeesSponsored'] === true
          ? []
          : ['the kind exact does not say that fees are sponsored']),
        ...(kind?.network === network ? [] : [`the kind exact is of ${kind?.network}, health of ${network}`]),
        ...(extensions.includes('bazaar') ? [] : ['the extension bazaar is not there']),
        ...differs('signers', signers, { 'stellar:*': context.service.submitters }),
      ];
      context.complain(asked, answer, complaints);

      // As it was started here, with what is the default for the rest.
      const unlike = differs('health', said, {
        status: 'ok',
        x402Version: 2,
        network: kind?.network,
        rpcUrl: new URL(context.service.sandbox.url).origin,
        submitters: context.service.submitters,
        feeBumpAddress: null,
        port: Number(new URL(context.service.url).port),
        feeMode: 'free',
        dbPath: ':memory:',
        maxTransactionFeeStroops: 50_000,
        version: VERSION,
      });
      context.complain(askedHealth, answerHealth, unlike);
    }),
    rule('getSupported: every kind is served', 1, fc.constant(null), async () => {
      const { kinds } = (await context.read('getSupported')) as SupportedResponse;
      const payment = await context.goodPayment();
      for (const { scheme, network } of kinds) {
        const terms = { ...payment.paymentRequirements, scheme, network };
        const paymentPayload = { ...payment.paymentPayload, accepted: terms };
        const request = jsonRequest(verify.path, { paymentPayload, paymentRequirements: terms });
        const answer = await context.send(verify, request);
        if (codeOf(bodyOf(answer)) === 'svc_unsupported_kind')
          context.complain(request, answer, [`the kind ${scheme} on ${network} is advertised`]);
      }
    }),
  ];
}
