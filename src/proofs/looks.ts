import { recipientKey, type SettledPayment, type Speaker } from '../catalog/index.ts';
import type { ProofLimits } from './limits.ts';
import { createPace } from './pace.ts';
import type { Ending } from './prove.ts';

/** A look at an origin: does it name this recipient? */
export interface Look extends Speaker {
  /** The URL for which it is taken: the first whose 402 is asked for. */
  readonly resource: string;
  /** The payment for it, if the listing belongs to another recipient. */
  readonly contested?: SettledPayment | undefined;
}

/** The looks that wait, limited so that nobody can have many origins asked, nor one origin asked often. */
export interface Looks {
  /** True if there is room for many more. */
  readonly hasRoom: boolean;
  /** Takes a look in, unless there are too many or the same was taken a short while ago. */
  add(look: Look): void;
  /** Removes and returns the first one whose host and recipient may be looked at now. */
  next(): Look | undefined;
  /** Is told how a look ended. What was not found is not looked for again for a while. */
  ended(look: Look, ending: Ending): void;
}

export function createLooks(limits: ProofLimits, now: () => number): Looks {
  const waiting = new Map<string, Look>();
  const pace = createPace(limits.maxPaced, now);

  function isTooMuch(look: Look): boolean {
    if (waiting.size >= limits.maxWaiting) return true;
    const others = [...waiting.values()];
    const count = (isLike: (other: Look) => boolean): number => others.filter(isLike).length;
    const isContested = look.contested !== undefined;
    return (
      count(({ origin }) => hostOf({ origin }) === hostOf(look)) >= limits.maxWaitingOfOne ||
      count(({ payTo }) => recipientKey(payTo) === recipientKey(look.payTo)) >= limits.maxWaitingOfOne ||
      (isContested && count(({ contested }) => contested !== undefined) >= limits.maxContestedWaiting)
    );
  }

  const isReady = (look: Look): boolean => pace.isFree(hostOf(look)) && pace.isFree(recipientKey(look.payTo));

  return {
    get hasRoom() {
      return waiting.size < limits.maxWaiting / 2;
    },
    add(look) {
      const key = keyOf(look);
      if (waiting.has(key) || !pace.isFree(key) || isTooMuch(look)) return;
      waiting.set(key, look);
    },
    next() {
      const found = [...waiting].find(([, look]) => isReady(look));
      if (found === undefined) return undefined;
      const [key, look] = found;
      waiting.delete(key);
      pace.hold(hostOf(look), limits.spacingMs);
      pace.hold(recipientKey(look.payTo), limits.spacingMs);
      return look;
    },
    ended(look, ending) {
      const isFound = ending === 'named' || ending === 'nothing to prove';
      if (!isFound || look.contested !== undefined) pace.hold(keyOf(look), limits.sameAgainMs);
      if (ending === 'silent') pace.hold(hostOf(look), limits.silentHostMs);
    },
  };
}

/** Ports and schemes of one host are one: whoever answers there is asked no more often. */
const hostOf = ({ origin }: Pick<Look, 'origin'>): string => new URL(origin).hostname;

const keyOf = ({ origin, payTo, resource, contested }: Look): string =>
  contested === undefined ? `${origin} ${payTo}` : `${resource} ${payTo} contested`;
