import { isNamed, type Catalog, type SettledPayment } from '../catalog/index.ts';
import { PLACES, type Ask, type Statement } from './ask.ts';
import type { ProofLimits } from './limits.ts';
import { verifiedBy } from './listings.ts';
import type { Look } from './looks.ts';
import type { Ending, ProofLog } from './prove.ts';

/** True if the listing is that of a template: then the paid URL's 402 does not speak for it. */
function hasRouteTemplate({ extensions }: SettledPayment): boolean {
  const { bazaar } = (extensions ?? {}) as { bazaar?: { routeTemplate?: unknown } };
  return bazaar?.routeTemplate !== undefined;
}

export interface ContestDeps {
  submit: Catalog['submit'];
  ask: Ask;
  log: ProofLog;
  limits: Pick<ProofLimits, 'validForMs'>;
  now: () => number;
  closing: AbortSignal;
}

/**
 * Looks at an origin for a recipient that was paid for another one's listing. If the origin names it, and does not name
 * the owner at any place, submits the payment again: the listing then moves to the recipient. If it is not certain what
 * the origin says at all places, nothing changes.
 */
export function createContest({ submit, ask, log, limits, now, closing }: ContestDeps) {
  async function statementsOf(resource: string): Promise<Statement[]> {
    const statements: Statement[] = [];
    for (const place of PLACES) statements.push(await ask(place, new URL(resource), closing));
    return statements;
  }

  return async ({ payTo, resource }: Look, settled: SettledPayment): Promise<Ending> => {
    const statements = await statementsOf(resource);
    if (!statements.some(({ isCertain }) => isCertain)) return 'silent';
    const isOfAnotherUrl = hasRouteTemplate(settled);
    const naming = statements.find(
      ({ place, named }) => isNamed(payTo, named) && !(place === 'live-402' && isOfAnotherUrl),
    );
    const isCertain = statements.every((statement) => statement.isCertain);
    if (naming === undefined || !isCertain || closing.aborted) return 'not named';
    const verified = verifiedBy(naming.place, now(), limits.validForMs);
    const named = statements.flatMap((statement) => statement.named);
    const outcome = await submit({ ...settled, claim: { verified, named } });
    if (outcome?.status !== 'success') return 'not named';
    log.info({ resource, payTo, by: naming.place }, 'a listing moved to the recipient that its origin names');
    return 'named';
  };
}
