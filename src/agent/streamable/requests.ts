import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../log/log.ts';
import { isSessionless, namesRevision } from '../sessionless/claim.ts';
import type { Access } from './access.ts';
import { readMessage } from './body.ts';
import type { Deliveries } from './delivery.ts';
import type { StreamableLimits } from './limits.ts';
import { answerRefusal, type HttpRefusal } from './refusal.ts';
import type { SessionlessRequests } from './sessionless.ts';
import type { Sessions } from './sessions.ts';

/** Where the tools are. */
export const PATH = '/mcp';

const METHODS = ['GET', 'POST', 'DELETE'];

export interface RequestsDeps {
  access: Access;
  deliveries: Deliveries;
  sessions: Sessions;
  sessionless: SessionlessRequests;
  limits: StreamableLimits;
  log: Log;
}

/** Hands each request to its session, or to those that need none, or refuses it. */
export function createRequests(
  deps: RequestsDeps,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    deps.deliveries.confirm(request.socket);
    try {
      const refused = refusal(deps, request) ?? (await answer(deps, request, response));
      if (refused !== undefined) answerRefusal(response, refused);
    } catch (error) {
      deps.log.error({ err: error }, 'a request failed');
      if (response.headersSent) response.destroy();
      else answerRefusal(response, { status: 500, message: 'The tool server failed.' });
    }
  };
}

/** Judges a request by its headers. */
function refusal({ access }: RequestsDeps, { url = '', method, headers }: IncomingMessage) {
  const strange = access.strange(headers);
  if (strange !== undefined) return strange;
  if (url.split('?', 1)[0] !== PATH) return { status: 404, message: `The tools are at ${PATH}.` };
  const unauthorized = access.unauthorized(headers);
  if (unauthorized !== undefined) return unauthorized;
  if (METHODS.includes(method ?? '')) return undefined;
  return { status: 405, message: 'Use GET, POST or DELETE.', headers: { allow: METHODS.join(', ') } };
}

async function answer(
  deps: RequestsDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<HttpRefusal | undefined> {
  const { sessions, sessionless, limits } = deps;
  const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
  const session = id === undefined ? undefined : sessions.find(String(id));
  if (id !== undefined && session === undefined)
    return { status: 404, message: 'There is no such session, or it has ended: begin another.' };
  if (request.method !== 'POST') return session ? session.answer(request, response) : WITHOUT_SESSION;
  const needsNoSession = session === undefined && isSessionless(version);
  if (needsNoSession && !sessionless.admit(response)) return noPlace(limits);
  const maxBytes = session || needsNoSession ? limits.maxBodyBytes : limits.maxFirstBodyBytes;
  const read = await readMessage(request, maxBytes, limits);
  if ('status' in read) return read;
  if (session !== undefined) return session.answer(request, response, read.message);
  if (needsNoSession || namesRevision(read.message))
    return void (await sessionless.answer(request, response, read.message));
  if (!isInitializeRequest(read.message)) return WITHOUT_SESSION;
  const opened = sessions.open();
  return opened ? opened.answer(request, response, read.message) : noRoom(limits);
}

const WITHOUT_SESSION: HttpRefusal = {
  status: 400,
  message: 'Begin a session with initialize, and name it in the header Mcp-Session-Id.',
};

function noRoom({ maxSessions, retryAfterSeconds }: StreamableLimits): HttpRefusal {
  return {
    status: 503,
    message: `${maxSessions} sessions are open, or the server is closing. Try again later.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

function noPlace({ maxSessionlessRequests, retryAfterSeconds }: StreamableLimits): HttpRefusal {
  return {
    status: 503,
    message: `${maxSessionlessRequests} requests without a session are under way, or the server is closing. Try again later.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}
