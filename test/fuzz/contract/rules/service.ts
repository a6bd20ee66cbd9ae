/** What the service says of itself. */
import fc from 'fast-check';
import type { HealthResponse, SupportedResponse } from '../../../../src/contract/index.ts';
import type { Context } from '../context.ts';
import { getRequest, jsonRequest } from '../exchange.ts';
import { bodyOf, codeOf } from '../judge.ts';
import { rule } from '../rule.ts';
import type { Rule } from '../rule.ts';

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
      const { network, submitters, rpcUrl, port, feeBumpAddress } = bodyOf(answerHealth) as HealthResponse;

      const kind = kinds.find(({ scheme }) => scheme === 'exact');
      const addresses = Object.values(signers).flat();
      const complaints = [
        ...(kind?.extra?.['areFeesSponsored'] === true
          ? []
          : ['the kind exact does not say that fees are sponsored']),
        ...(kind?.network === network ? [] : [`the kind exact is of ${kind?.network}, health of ${network}`]),
        ...(extensions.includes('bazaar') ? [] : ['the extension bazaar is not there']),
        ...(addresses.length > 0 ? [] : ['there is no signer']),
      ];
      if (complaints.length > 0) context.complain(asked, answer, complaints);

      const unlike = [
        ...(JSON.stringify(submitters) === JSON.stringify(addresses)
          ? []
          : ['submitters are not the signers']),
        ...(rpcUrl === new URL(context.service.sandbox.url).origin ? [] : [`rpcUrl is ${rpcUrl}`]),
        ...(feeBumpAddress === null ? [] : [`feeBumpAddress is ${feeBumpAddress}, and there is none`]),
        ...(port === Number(new URL(context.service.url).port) ? [] : [`port is ${port}`]),
      ];
      if (unlike.length > 0) context.complain(askedHealth, answerHealth, unlike);
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
