import { Failure } from '../codes.ts';
import type { Reach } from '../../net/reach.ts';
import { faultOf, isWithinOrigin, type Response, type TargetFetch } from '../http/fetch.ts';
import type { JsonObject } from '../json.ts';
import type { AgentLimits } from '../limits.ts';
import type { Answer, Exchange } from './answer.ts';
import { answerOf, redirectOf } from './httpAnswer.ts';
import type { HttpRequest } from './httpRequest.ts';

export interface HttpTargetDeps {
  fetch: TargetFetch;
  reach: Reach;
  /** True when a URL's host and port are allowed. */
  mayCall(url: URL): boolean;
  limits: AgentLimits;
}

/**
 * Calls an http resource. The first request follows redirects within its origin. The request with the payment goes
 * where the first one ended, and follows none.
 */
export function createHttpTarget(
  { fetch, reach, mayCall, limits }: HttpTargetDeps,
  request: HttpRequest,
): Exchange {
  const { method, body = null } = request;
  let url = request.url;

  async function send(withinMs: number, payment: JsonObject | undefined): Promise<Answer> {
    const signal = AbortSignal.timeout(withinMs);
    const headers = { ...request.headers, ...(payment && { 'payment-signature': toBase64(payment) }) };
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { method, headers, body, signal, reach });
      const next = payment || redirects === limits.maxRedirects ? undefined : followable(response);
      if (next === undefined) return answerOf(response, url, limits);
      await response.body?.cancel();
      url = next;
    }
  }

  /** Returns where a redirect leads, if it stays within the origin, keeps the method and may be called. */
  function followable(response: Response): URL | undefined {
    const { status } = response;
    const keepsMethod = status === 307 || status === 308 || method === 'GET' || method === 'HEAD';
    const next = keepsMethod ? redirectOf(response, url) : undefined;
    return next !== undefined && isWithinOrigin(url, next) && mayCall(next) ? next : undefined;
  }

  return {
    async ask(withinMs, payment) {
      try {
        return await send(withinMs, payment);
      } catch (error) {
        const failure = new Failure(
          'svc_mcp_resource_unreachable',
          `${url.origin} does not answer: ${faultOf(error)}.`,
        );
        return { kind: 'failed', failure, status: undefined, content: undefined, receipt: undefined };
      }
    },
    close: async () => {},
  };
}

function toBase64(payment: JsonObject): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}
