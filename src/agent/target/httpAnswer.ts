/** Reads what an http resource answered, with or without a payment. */
import { Failure } from '../codes.ts';
import { isPublicHost } from '../../net/reach.ts';
import { readBody, type Body } from '../../net/body.ts';
import type { Response } from '../http/fetch.ts';
import { isObject, parseJson, valueAt, type Json, type JsonObject } from '../json.ts';
import { RESULT_LIMITS, TARGET_LIMITS, type AgentLimits } from '../limits.ts';
import { cleanText, quoted } from '../words.ts';
import type { Answer } from './answer.ts';
import { contentOf } from './content.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

/** Returns where a redirect leads; undefined if the answer is none, or leads to no URL. */
export function redirectOf({ status, headers }: Response, url: URL): URL | undefined {
  const location = REDIRECTS.includes(status) ? headers.get('location') : null;
  return location === null ? undefined : (URL.parse(location, url) ?? undefined);
}

/** Returns what an answer means. `url` is where it came from. */
export async function answerOf(response: Response, url: URL, limits: AgentLimits): Promise<Answer> {
  const { status, headers } = response;
  const contentType = cleanText(headers.get('content-type'), RESULT_LIMITS.maxMediaTypeChars);
  const body = await readBody(response, TARGET_LIMITS.maxBodyBytes, announcesMcp);
  const receipt = fromBase64(headers.get('payment-response'));
  if (status === 402) return { kind: 'paymentRequired', required: requiredIn(headers, body), receipt };
  const content = contentOf(body, contentType, url);
  const isMcp = announcesMcp(body.bytes);
  if (response.ok && !isMcp) return { kind: 'delivered', status, content, receipt };
  const next = isMcp ? undefined : redirectOf(response, url);
  const failure =
    next === undefined ? failureOf(status, content.result, isMcp) : await redirected(status, next, limits);
  return { kind: 'failed', failure, status, content, receipt };
}

function failureOf(status: number, result: Json, isMcp: boolean): Failure {
  if (isMcp || isMcpServer(result))
    return new Failure(
      'svc_mcp_invalid_arguments',
      'The target is an MCP server: name the tool to call as toolName.',
    );
  // Many MCP servers over streamable HTTP take no GET.
  const hint = status === 405 ? ' If it is an MCP server, name the tool to call as toolName.' : '';
  const said = typeof result === 'string' ? result : JSON.stringify(result);
  const quote = result === null ? '' : ` It says: ${quoted(said)}.`;
  return new Failure('svc_mcp_resource_error', `The target answered ${status}.${hint}${quote}`);
}

async function redirected(status: number, next: URL, limits: AgentLimits): Promise<Failure> {
  return new Failure(
    'svc_mcp_resource_error',
    `The target answered ${status} and redirects ${await described(next, limits)}`,
  );
}

/** Describes where a redirect leads. Doesn't name an address that is not public, since a model might call it. */
async function described(url: URL, limits: AgentLimits): Promise<string> {
  if (!/^https?:$/.test(url.protocol) || !(await isPublicHost(url.hostname, limits)))
    return 'to somewhere that is not a public address, which is not followed.';
  return `elsewhere, which is not followed. If you trust that address, call it by its url: ${quoted(url.href)}.`;
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
