import type { Context } from 'koa';
import { HOME_FILES } from '../handlers/home/files.ts';
import type { Log } from '../log/log.ts';
import { logAccess, outcomeOf, type Access, type Outcome } from './accessLog.ts';
import type { Served } from './answering.ts';
import type { Arrived } from './arrival.ts';
import type { Contract } from './contract.ts';
import { READABLE_BY_ALL } from './cors.ts';
import type { HttpObserver } from './observer.ts';
import { unknownRoute, type Reply } from './refusal.ts';
import { encode, type Answer, type Send } from './sending.ts';

interface ServingDeps {
  routes: Contract['routes'];
  answerTo: (request: Served, ctx: Context) => Promise<Answer>;
  send: Send;
  observer: HttpObserver;
  log: Log;
}

/** Returns a function that answers a request, sends the answer, counts it, and writes its log line. */
export function createServing(deps: ServingDeps): (ctx: Context, request: Arrived) => Promise<Outcome> {
  const { routes, answerTo, send, observer, log } = deps;

  return async (ctx, request) => {
    const startedAtMs = performance.now();
    const { requestId, path, operation, sender, name, cors } = request;
    const answer = operation
      ? await answerTo({ ...request, operation }, ctx)
      : encode(cors ? NO_CONTENT : (fileAt(ctx.method, path) ?? unknownRoute(ctx.method, path, routes)));
    send(ctx, { requestId, name, cors }, answer);
    const outcome = outcomeOf(answer);
    const { status, code } = outcome;
    observer.answered(operation?.operationId, status, code, performance.now() - startedAtMs);
    const aborted = ctx.res.destroyed;
    const access = { requestId, method: ctx.method, path, ...callerOf(sender, name), startedAtMs, aborted };
    logAccess(log, access, outcome, answer.payment);
    return outcome;
  };
}

/** Koa drops the body. */
const NO_CONTENT: Reply = { status: 204, body: '' };

/** Returns a file that the page for people needs; undefined if there is none. */
function fileAt(method: string, path: string): Reply | undefined {
  const file = ['GET', 'HEAD'].includes(method) ? HOME_FILES.get(path) : undefined;
  return file && { status: 200, body: file, headers: READABLE_BY_ALL };
}

/** Returns who sent a request, in the journal's words. One without a valid key has its address as its name. */
function callerOf(sender: Arrived['sender'], name: string): Pick<Access, 'caller' | 'address'> {
  const keyId = 'code' in sender ? undefined : sender.keyId;
  return keyId === undefined ? { caller: 'anonymous', address: name } : { caller: `key:${keyId}` };
}
