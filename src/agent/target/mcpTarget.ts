/** Calls a tool of another MCP server. The payment and its receipt travel in `_meta`. */
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { Failure } from '../codes.ts';
import { faultOf } from '../http/fetch.ts';
import { isObject, parseJson, textAt, valueAt, type Json, type JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { quoted } from '../words.ts';
import type { Answer, Exchange } from './answer.ts';
import { contentOfToolResult } from './content.ts';
import { openSession, type McpSession, type SessionDeps, type TransportKind } from './mcpSession.ts';

const PAYMENT = 'x402/payment';
const RECEIPT = 'x402/payment-response';

export interface ToolTarget {
  toolName: string;
  input: JsonObject;
  transport: TransportKind;
}

/** Sends both calls through one session. */
export function createMcpTarget(deps: SessionDeps, { toolName, input, transport }: ToolTarget): Exchange {
  const { origin } = deps.url;
  let session: McpSession | undefined;

  async function call(withinMs: number, payment: JsonObject | undefined): Promise<Answer> {
    const signal = AbortSignal.timeout(withinMs);
    session ??= await openSession(deps, transport, signal);
    const paid = payment && { _meta: { [PAYMENT]: payment } };
    const result = plain(await session.callTool({ name: toolName, arguments: input, ...paid }, signal));
    return isObject(result)
      ? answerOf(result)
      : noAnswer(notCallable(origin, 'its result is nested too deep'));
  }

  return {
    async ask(withinMs, payment) {
      try {
        return await call(withinMs, payment);
      } catch (fault) {
        return noAnswer(failureOf(fault, origin));
      }
    },
    close: async () => session?.close(),
  };
}

function answerOf(result: JsonObject): Answer {
  const receipt = valueAt(result, '_meta', RECEIPT);
  const isError = result['isError'] === true;
  const required = isError ? requiredIn(result) : undefined;
  if (required !== undefined) return { kind: 'paymentRequired', required, receipt };
  const content = contentOfToolResult(result);
  if (!isError) return { kind: 'delivered', status: undefined, content, receipt };
  const said = textAt(firstBlock(result), 'text') ?? 'it gave no text';
  const failure = new Failure('svc_mcp_tool_call_failed', `The tool failed: ${quoted(said)}.`);
  return { kind: 'failed', failure, status: undefined, content, receipt };
}

/** Says why a session gave no answer. */
function failureOf(fault: unknown, origin: string): Failure {
  if (fault instanceof McpError)
    return new Failure('svc_mcp_tool_call_failed', `The server refused the call: ${quoted(fault.message)}.`);
  const problem = problemOf(fault);
  if (problem !== undefined) return notCallable(origin, problem);
  return new Failure(
    'svc_mcp_resource_unreachable',
    `The MCP server at ${origin} does not answer: ${faultOf(fault)}.`,
  );
}

/** Says what is wrong with an answer that is not from an MCP server; undefined if there was no answer. */
function problemOf(fault: unknown): string | undefined {
  if (fault instanceof StreamableHTTPError) {
    const { code = 0, message } = fault;
    if (code <= 0) return `it answered something else: ${quoted(message)}`;
    return code === 402 ? HTTP_PAYMENT : `it answered with the HTTP status ${code}`;
  }
  if (fault instanceof SseError && fault.code !== undefined)
    return `it answered with the HTTP status ${fault.code}`;
  return fault instanceof Error && /ZodError$/.test(fault.name)
    ? 'its answer is not an MCP message'
    : undefined;
}

function notCallable(origin: string, problem: string): Failure {
  return new Failure('svc_mcp_resource_error', `${origin} cannot be called as an MCP server: ${problem}.`);
}

const HTTP_PAYMENT =
  'it wants to be paid for the connection (HTTP 402), and not for a tool call, which this server does not do';

function noAnswer(failure: Failure): Answer {
  return { kind: 'failed', failure, status: undefined, content: undefined, receipt: undefined };
}

/** Returns the terms of a tool that wants to be paid: from the structured content, or from the first block's text. */
function requiredIn(result: JsonObject): JsonObject | undefined {
  const structured = valueAt(result, 'structuredContent');
  if (isRequired(structured)) return structured;
  const text = parseJson(textAt(firstBlock(result), 'text') ?? '', TARGET_LIMITS.maxJsonDepth);
  return isRequired(text) ? text : undefined;
}

function isRequired(value: Json | undefined): value is JsonObject {
  return isObject(value) && 'x402Version' in value && Array.isArray(value['accepts']);
}

function firstBlock({ content }: JsonObject): Json | undefined {
  return Array.isArray(content) ? content[0] : undefined;
}

/** Returns a copy as plain JSON; undefined if it cannot be written as JSON, or is nested too deep. */
function plain(result: object): Json | undefined {
  let text: string;
  try {
    text = JSON.stringify(result);
  } catch {
    return undefined;
  }
  return parseJson(text, TARGET_LIMITS.maxJsonDepth);
}
