import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { AgentLimits } from '../limits.ts';

/**
 * Knows its own questions again. A host keeps each one as a text, and returns it with the answer: it may also change it,
 * return it twice, or return it for another call.
 */
export interface Questions {
  /** Returns the text to hand to the host; undefined while no answer could count, since too many are remembered. */
  ask(about: string): string | undefined;
  /** True only for the first answer to a question about exactly this, in time. */
  take(shown: string, about: string): boolean;
}

export interface QuestionsDeps {
  /** Milliseconds that never decrease. */
  now: () => number;
  limits: Pick<AgentLimits, 'questionForMs' | 'maxAnsweredQuestions'>;
}

const KEY_BYTES = 32;
const SHOWN = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{43})$/;

export function createQuestions({ now, limits }: QuestionsDeps): Questions {
  // Nobody else has it, and it ends with the process.
  const key = randomBytes(KEY_BYTES);
  /** The questions that were answered, each at least until it would be too old anyway. */
  const answered = new Map<string, number>();

  const sealOf = (id: string, until: number, about: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, until, about]))
      .digest();

  /** Ends at the first that is not too old: all are looked at in time, and none twice. */
  function isFull(): boolean {
    for (const [id, until] of answered) {
      if (until > now()) break;
      answered.delete(id);
    }
    return answered.size >= limits.maxAnsweredQuestions;
  }

  return {
    ask(about) {
      if (isFull()) return undefined;
      const id = randomUUID();
      const until = now() + limits.questionForMs;
      return `${id}.${until}.${sealOf(id, until, about).toString('base64url')}`;
    },
    take(shown, about) {
      const [, id = '', untilText = '', seal = ''] = SHOWN.exec(shown) ?? [];
      const until = Number(untilText);
      if (id === '' || !timingSafeEqual(Buffer.from(seal, 'base64url'), sealOf(id, until, about)))
        return false;
      if (until <= now() || answered.has(id) || isFull()) return false;
      answered.set(id, until);
      return true;
    },
  };
}
