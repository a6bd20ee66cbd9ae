import { Failure } from '../codes.ts';
import { isPublicHost } from '../http/addresses.ts';
import type { Reach } from '../http/addresses.ts';
import { readBody } from '../http/body.ts';
import type { Body } from '../http/body.ts';
import { faultOf, isWithinOrigin } from '../http/fetch.ts';
import type { Response, TargetFetch } from '../http/fetch.ts';
import { isObject, parseJson, valueAt } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { RESULT_LIMITS, TARGET_LIMITS } from '../limits.ts';
import type { AgentLimits } from '../limits.ts';
import { cleanText, quoted } from '../words.ts';
import type { Answer, Exchange } from './answer.ts';
import { contentOf } from './content.ts';
import type { Content } from './content.ts';
import type { HttpRequest } from './httpRequest.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

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
  let url = request.url;

  async function send(withinMs: number, payment: JsonObject | undefined): Promise<Answer> {
    const signal = AbortSignal.timeout(withinMs);
    const headers = { ...request.headers, ...(payment && { 'payment-signature': toBase64(payment) }) };
    for (let redirects = 0; ; redirects += 1) {
      const { method, body = null } = request;
      const response = await fetch(url, { method, headers, body, signal, reach });
      const next = payment || redirects === limits.maxRedirects ? undefined : followable(response);
      if (next === undefined) return answerOf(response);
      await response.body?.cancel();
      url = next;
    }
  }

  /** Returns where a redirect leads, if it stays within the origin, keeps the method and may be called. */
  function followable({ status, headers }: Response): URL | undefined {
    const keepsMethod =
      status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
    const location = REDIRECTS.includes(status) && keepsMethod ? headers.get('location') : null;
    const next = location === null ? null : URL.parse(location, url);
    return next !== null && isWithinOrigin(url, next) && mayCall(next) ? next : undefined;
  }

  async function answerOf(response: Response): Promise<Answer> {
    const { status, headers } = response;
    const contentType = cleanText(headers.get('content-type'), RESULT_LIMITS.maxMediaTypeChars);
    const body = await readBody(response, TARGET_LIMITS.maxBodyBytes, announcesMcp);
    const receipt = fromBase64(headers.get('payment-response'));
    if (status === 402) return { kind: 'paymentRequired', required: requiredIn(headers, body), receipt };
    const content = contentOf(body, contentType, url);
    if (announcesMcp(body.bytes))
      return { kind: 'failed', failure: namelessTool(), status, content, receipt };
    if (response.ok) return { kind: 'delivered', status, content, receipt };
    const failure = await failureOf(response, content, url, limits);
    return { kind: 'failed', failure, status, content, receipt };
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

async function failureOf(
  { status, headers }: Response,
  content: Content,
  url: URL,
  limits: AgentLimits,
): Promise<Failure> {
  const location = REDIRECTS.includes(status) ? headers.get('location') : null;
  const next = location === null ? null : URL.parse(location, url);
  if (next !== null)
    return new Failure(
      'svc_mcp_resource_error',
      `The target answered ${status} and redirects ${await described(next, limits)}`,
    );
  if (isMcpServer(content.result)) return namelessTool();
  // Many MCP servers over streamable HTTP take no GET.
  const hint = status === 405 ? ' If it is an MCP server, name the tool to call as toolName.' : '';
  const { result } = content;
  if (result === null) return new Failure('svc_mcp_resource_error', `The target answered ${status}.${hint}`);
  const said = typeof result === 'string' ? result : JSON.stringify(result);
  return new Failure(
    'svc_mcp_resource_error',
    `The target answered ${status}.${hint} It says: ${quoted(said)}.`,
  );
}

/** Describes where a redirect leads. Doesn't name an address that is not public, since a model might call it. */
async function described(url: URL, limits: AgentLimits): Promise<string> {
  if (!/^https?:$/.test(url.protocol) || !(await isPublicHost(url.hostname, limits)))
    return 'to somewhere that is no public address, which is not followed.';
  return `elsewhere, which is not followed. If that address is to be trusted, call it by its url: ${quoted(url.href)}.`;
}

function namelessTool(): Failure {
  return new Failure(
    'svc_mcp_invalid_arguments',
    'The target is an MCP server: name the tool to call as toolName.',
  );
}

/** True when a body begins like the greeting of an MCP server over SSE, which is a stream that never ends. */
function announcesMcp(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, SSE_GREETING.length)).toString('latin1') === SSE_GREETING;
}

const SSE_GREETING = 'event: endpoint\n';

/** True for a JSON-RPC error, with which MCP servers refuse a message that is not theirs. */
function isMcpServer(result: Json): boolean {
  return valueAt(result, 'jsonrpc') === '2.0' && isObject(valueAt(result, 'error'));
}

/** Returns the terms of a 402: from its header, or from its body if there is no such header. */
function requiredIn(headers: Response['headers'], { bytes }: Body): JsonObject | undefined {
  const inHeader = fromBase64(headers.get('payment-required'));
  const required =
    inHeader === undefined ? parseJson(bytes.toString('utf8'), TARGET_LIMITS.maxJsonDepth) : inHeader;
  return isObject(required) ? required : undefined;
}

/** Decodes a protocol header: base64 of JSON in UTF-8. Returns undefined if absent, null if it cannot be read. */
function fromBase64(header: string | null): Json | undefined {
  if (header === null) return undefined;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return null;
  return parseJson(Buffer.from(header, 'base64').toString('utf8'), TARGET_LIMITS.maxJsonDepth) ?? null;
}

function toBase64(payment: JsonObject): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}
