import { addAbortListener } from 'node:events';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../log/log.ts';
import { createArgumentChecks } from './arguments.ts';
import type { Caller } from './caller.ts';
import type { CallResult } from './callResult.ts';
import { Failure } from './codes.ts';
import type { Delivery } from './delivery.ts';
import type { AgentLimits } from './limits.ts';
import type { PartsOfSession } from './parts.ts';
import type { AskPerson } from './payment/approval.ts';
import type { Patience } from './payment/waiting.ts';
import { createPlaces } from './places.ts';
import type { TellProgress } from './progress.ts';
import { quoted } from './words.ts';

/** The host of one call, whatever revision of the protocol it speaks. */
export interface CallingHost {
  /** Aborted when the host cancels the call. */
  readonly signal: AbortSignal;
  readonly askPerson: AskPerson;
  readonly delivery: Delivery;
  readonly tellProgress: TellProgress;
}

/** Does the work of a session's calls. */
export type CallingSession = Pick<PartsOfSession, 'run'>;

/** Runs the calls of the tools, of all sessions. */
export interface Calls {
  run(session: CallingSession, call: ToolCall, host: CallingHost): Promise<CallResult | Failure>;
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
      return await session.run(tool, given, caller);
    } catch (error) {
      log.error({ err: error, tool }, 'a call failed');
      return new Failure('svc_mcp_internal_error', 'The tool server failed. Nothing was paid.');
    } finally {
      places.giveBack(session);
    }
  }

  return {
    async run(session, call, host) {
      const { tool, given } = call;
      const check = checks.get(tool);
      if (check === undefined)
        return new Failure('svc_mcp_invalid_arguments', `There is no tool ${quoted(tool)}.`);
      const refused = closing.signal.aborted ? isClosing() : check(given);
      if (refused !== undefined) return refused;
      const { askPerson, delivery } = host;
      const { hungUp, ended: delivered } = delivery;
      const signal = AbortSignal.any([host.signal, hungUp]);
      const patience = { remainingMs: remainingOf(limits), signal };
      const working = work(session, call, { patience, delivered, askPerson });
      const progress = setInterval(host.tellProgress, limits.progressEveryMs);
      return track(answer(track(working), delivery, signal).finally(() => clearInterval(progress)));
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
  delivery: Delivery,
  signal: AbortSignal,
): Promise<CallResult | Failure> {
  const { promise: givenUp, resolve } = Promise.withResolvers<Failure>();
  const why =
    'The host gave up this call. Make the same call again, with the same arguments, to learn its outcome.';
  const listening = addAbortListener(signal, () => resolve(new Failure('svc_mcp_internal_error', why)));
  const result = await Promise.race([working, givenUp]);
  listening[Symbol.dispose]();
  await delivery.noticeHangUp();
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
