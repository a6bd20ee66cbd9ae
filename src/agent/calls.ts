import { addAbortListener } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../log/log.ts';
import { createArgumentChecks } from './arguments.ts';
import type { Caller } from './caller.ts';
import type { CallResult } from './callResult.ts';
import { Failure } from './codes.ts';
import type { AgentLimits } from './limits.ts';
import type { PartsOfSession } from './parts.ts';
import type { AskPerson } from './payment/approval.ts';
import type { Patience } from './payment/waiting.ts';
import { createPlaces } from './places.ts';
import { quoted } from './words.ts';

export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The session that a call belongs to. */
export interface CallingSession {
  readonly parts: Pick<PartsOfSession, 'run'>;
  /** Asks the person behind the host as a part of a call. */
  askPersonOf(extra: CallExtra): AskPerson;
  /** Says how the call's result gets to the host. */
  deliveryOf(extra: CallExtra): Delivery;
}

export interface Delivery {
  /** Aborted if the host has gone before it had the result. */
  readonly hungUp: AbortSignal;
  /** Resolves once the result was handed over, or the host has gone. */
  readonly ended: Promise<void>;
}

/** Runs the calls of the tools, of all sessions. */
export interface Calls {
  run(session: CallingSession, call: ToolCall, extra: CallExtra): Promise<CallResult | Failure>;
  /** Takes no more calls. Resolves when the current ones are over. */
  drain(): Promise<void>;
}

export interface ToolCall {
  readonly tool: string;
  readonly given: unknown;
}

export interface CallsDeps {
  tools: readonly Tool[];
  limits: AgentLimits;
  log: Log;
}

/**
 * Checks the arguments of calls and runs a limited number at once, while others wait for their turn. A fault of this
 * server becomes a failure, too.
 */
export function createCalls({ tools, limits, log }: CallsDeps): Calls {
  const checks = createArgumentChecks(tools);
  const places = createPlaces(limits);
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();

  function track(promise: Promise<CallResult | Failure>): Promise<CallResult | Failure> {
    running.add(promise);
    void promise.finally(() => running.delete(promise));
    return promise;
  }

  /** Waits for a place only as long as a call that then gets it can still pay. */
  async function waitForPlace(
    session: CallingSession,
    { remainingMs, signal }: Patience,
  ): Promise<Failure | undefined> {
    const place = await places.take(session, {
      remainingMs: () => remainingMs() - limits.minToPayMs,
      signal: AbortSignal.any([signal, closing.signal]),
    });
    if (place === 'taken') return undefined;
    return closing.signal.aborted ? isClosing() : busy(place, limits);
  }

  async function work(
    session: CallingSession,
    { tool, given }: ToolCall,
    caller: Caller,
  ): Promise<CallResult | Failure> {
    const refused = await waitForPlace(session, caller.patience);
    if (refused !== undefined) return refused;
    try {
      return await session.parts.run(tool, given, caller);
    } catch (error) {
      log.error({ err: error, tool }, 'a call failed');
      return new Failure('svc_mcp_internal_error', 'The tool server failed. Nothing was paid.');
    } finally {
      places.giveBack(session);
    }
  }

  return {
    async run(session, call, extra) {
      const { tool, given } = call;
      const check = checks.get(tool);
      if (check === undefined)
        return new Failure('svc_mcp_invalid_arguments', `There is no tool ${quoted(tool)}.`);
      const refused = closing.signal.aborted ? isClosing() : check(given);
      if (refused !== undefined) return refused;
      const { hungUp, ended: delivered } = session.deliveryOf(extra);
      const signal = AbortSignal.any([extra.signal, hungUp]);
      const patience = { remainingMs: remainingOf(limits), signal };
      const working = work(session, call, { patience, delivered, askPerson: session.askPersonOf(extra) });
      const progress = tellProgress(extra, limits);
      const answering = answer(track(working), signal).finally(() => clearInterval(progress));
      return track(answering);
    },
    async drain() {
      closing.abort();
      await Promise.allSettled([...running]);
    },
  };
}

/** A call must answer in time, however long it waits for its turn. */
function remainingOf({ answerWithinMs }: AgentLimits): () => number {
  const answerBy = performance.now() + answerWithinMs;
  return () => Math.floor(answerBy - performance.now());
}

/** Answers a call that its host gives up at once, although its work may take longer. */
async function answer(
  working: Promise<CallResult | Failure>,
  signal: AbortSignal,
): Promise<CallResult | Failure> {
  const { promise: givenUp, resolve } = Promise.withResolvers<Failure>();
  const why =
    'The host gave up this call. Make the same call again, with the same arguments, to learn its outcome.';
  const listening = addAbortListener(signal, () => resolve(new Failure('svc_mcp_internal_error', why)));
  const result = await Promise.race([working, givenUp]);
  listening[Symbol.dispose]();
  // If the host has hung up by now, this is noticed before the result leaves: the event loop has asked all connections.
  await setImmediate();
  await setImmediate();
  return result;
}

function isClosing(): Failure {
  return new Failure('svc_mcp_internal_error', 'The server is closing. Nothing was paid.');
}

function busy(why: 'full' | 'late', { maxCallsAtOnce, maxCallsWaiting }: AgentLimits): Failure {
  const line =
    why === 'full'
      ? `${maxCallsAtOnce} calls are under way, and ${maxCallsWaiting} wait for their turn`
      : `${maxCallsAtOnce} calls are under way, and the turn of this one did not come in time`;
  return new Failure('svc_mcp_busy', `Too many calls at once: ${line}. Nothing was paid.`);
}

/** Sends progress, since some hosts stop waiting without it. */
function tellProgress(
  { _meta, sendNotification }: CallExtra,
  { progressEveryMs }: AgentLimits,
): NodeJS.Timeout {
  let progress = 0;
  return setInterval(() => {
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for the target and the ledger.' };
    void sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  }, progressEveryMs);
}
