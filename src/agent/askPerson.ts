import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { ElicitRequestFormParams, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { valueAt } from './json.ts';
import type { AskPerson } from './payment/approval.ts';

/** The form that a host shows to its person. */
export const APPROVAL_FORM = {
  type: 'object',
  properties: { approve: { type: 'boolean', title: 'Approve the payment', default: false } },
  required: ['approve'],
} satisfies ElicitRequestFormParams['requestedSchema'];

/** Reads what the person did with the form. Anything but a clear yes is a no. */
export function answerIn(result: unknown): 'approved' | 'declined' {
  const isYes = valueAt(result, 'action') === 'accept' && valueAt(result, 'content', 'approve') === true;
  return isYes ? 'approved' : 'declined';
}

/** Asks through the host, by the protocol's elicitation, as a part of a call. */
export function askThrough(server: Server, requestId: RequestId): AskPerson {
  return async ({ text }, { remainingMs, signal }) => {
    if (server.getClientCapabilities()?.elicitation?.form === undefined) return 'cannotAsk';
    const timeout = remainingMs();
    if (timeout <= 0) return 'noAnswer';
    try {
      const form = { message: text, requestedSchema: APPROVAL_FORM };
      return answerIn(await server.elicitInput(form, { timeout, signal, relatedRequestId: requestId }));
    } catch {
      // The time is over, the call was given up, or the host answers with something else.
      return 'noAnswer';
    }
  };
}
