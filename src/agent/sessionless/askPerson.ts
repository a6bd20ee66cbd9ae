import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { answerIn, APPROVAL_FORM } from '../askPerson.ts';
import { isObject, objectAt } from '../json.ts';
import type { AskPerson } from '../payment/approval.ts';
import type { Questions } from './questions.ts';

/** Asks a host's person by the result of a call. The answer comes with the same call made again. */
export interface Asking {
  readonly askPerson: AskPerson;
  /** Returns the result that asks; undefined if nothing has to be asked. */
  asked(): InputRequiredResult | undefined;
}

/** The name of the only input that is asked for. */
const APPROVAL = 'approval';

export function createAsking(questions: Questions, { mcpReq }: ServerContext): Asking {
  let asked: InputRequiredResult | undefined;
  return {
    askPerson({ text, about }) {
      if (!canAsk(mcpReq.envelope)) return Promise.resolve('cannotAsk');
      // It comes from the host, so it may be anything.
      const state: unknown = mcpReq.requestState();
      if (typeof state === 'string' && questions.take(state, about)) {
        const answer = objectAt(mcpReq.inputResponses)[APPROVAL];
        return Promise.resolve(answer === undefined ? 'noAnswer' : answerIn(answer));
      }
      const requestState = questions.ask(about);
      if (requestState === undefined) return Promise.resolve('tooMany');
      const form = { mode: 'form', message: text, requestedSchema: APPROVAL_FORM } as const;
      asked = inputRequired({
        inputRequests: { [APPROVAL]: inputRequired.elicit(form) },
        requestState,
      });
      return Promise.resolve('asked');
    },
    asked: () => asked,
  };
}

/** True for a host that shows forms: it says so, or names no kind at all. */
function canAsk(envelope: unknown): boolean {
  const { elicitation } = objectAt(envelope, CLIENT_CAPABILITIES_META_KEY);
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}
