import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../log/log.ts';
import { createArgumentChecks } from './arguments.ts';
import type { CallResult } from './callResult.ts';
import { Failure } from './codes.ts';
import type { AgentLimits } from './limits.ts';
import type { Parts } from './parts.ts';
import { quoted } from './words.ts';

export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Runs the calls of the tools. */
export interface Calls {
  run(tool: string, given: unknown, extra: CallExtra): Promise<CallResult | Failure>;
  /** Takes no more calls. Resolves when the current ones are over. */
  drain(): Promise<void>;
}

export interface CallsDeps {
  tools: readonly Tool[];
  parts: Pick<Parts, 'run'>;
  limits: AgentLimits;
  log: Log;
}

/** Checks the arguments of calls and runs a limited number at once. A fault of this server becomes a failure, too. */
export function createCalls({ tools, parts, limits, log }: CallsDeps): Calls {
  const checks = createArgumentChecks(tools);
  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  function refuse(tool: string, given: unknown): Failure | undefined {
    const check = checks.get(tool);
    if (check === undefined)
      return new Failure('svc_mcp_invalid_arguments', `There is no tool ${quoted(tool)}.`);
    if (isClosing || running.size >= limits.maxCallsAtOnce)
      return new Failure(
        'svc_mcp_internal_error',
        `${isClosing ? 'The server is closing' : 'Too many calls at once'}. Nothing was paid.`,
      );
    return check(given);
  }

  return {
    async run(tool, given, extra) {
      const refused = refuse(tool, given);
      if (refused !== undefined) return refused;
      const working = parts.run(tool, given, extra.signal);
      running.add(working);
      const progress = tellProgress(extra, limits);
      try {
        return await working;
      } catch (error) {
        log.error({ err: error, tool }, 'a call failed');
        return new Failure('svc_mcp_internal_error', 'The tool server failed. Nothing was paid.');
      } finally {
        clearInterval(progress);
        running.delete(working);
      }
    },
    async drain() {
      isClosing = true;
      await Promise.allSettled([...running]);
    },
  };
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
