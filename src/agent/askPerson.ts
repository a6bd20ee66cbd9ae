import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';
import type { CallExtra } from './calls.ts';
import type { AskPerson } from './payment/approval.ts';

const ANSWER: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: { approve: { type: 'boolean', title: 'Approve the payment', default: false } },
  required: ['approve'],
};

/** Asks through the host, by the protocol's elicitation, as a part of a call. */
export function askThrough(server: Server, { requestId }: CallExtra): AskPerson {
  return async (message, { remainingMs, signal }) => {
    if (server.getClientCapabilities()?.elicitation?.form === undefined) return 'cannotAsk';
    const timeout = remainingMs();
    if (timeout <= 0) return 'noAnswer';
    try {
      const { action, content } = await server.elicitInput(
        { message, requestedSchema: ANSWER },
        { timeout, signal, relatedRequestId: requestId },
      );
      return action === 'accept' && content?.['approve'] === true ? 'approved' : 'declined';
    } catch {
      // The time is over, the call was given up, or the host answers with something else.
      return 'noAnswer';
    }
  };
}
