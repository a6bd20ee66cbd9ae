/** What the service says of itself. */
import fc from 'fast-check';
import type { HealthResponse, SupportedResponse } from '../../../../src/contract/index.ts';
import type { Context } from '../context.ts';
import { getRequest } from '../exchange.ts';
import { bodyOf } from '../judge.ts';
import { rule } from '../rule.ts';
import type { Rule } from '../rule.ts';

export function serviceRules(context: Context): Rule[] {
  const supported = context.operation('getSupported');
  const health = context.operation('getHealth');
  return [
    rule('getSupported, getHealth: they say what is served, and agree', 3, fc.constant(null), async () => {
      const [asked, askedHealth] = [getRequest(supported.path), getRequest(health.path)];
      const answer = await context.send(supported, asked);
      const answerHealth = await context.send(health, askedHealth);
      const { kinds, extensions, signers } = bodyOf(answer) as SupportedResponse;
      const { network, submitters, rpcUrl, port } = bodyOf(answerHealth) as HealthResponse;

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
        ...(port === Number(new URL(context.service.url).port) ? [] : [`port is ${port}`]),
      ];
      if (unlike.length > 0) context.complain(askedHealth, answerHealth, unlike);
    }),
  ];
}
