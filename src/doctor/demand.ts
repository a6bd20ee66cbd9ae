/** Fetches a seller's 402, and reads its header. */
import { isObject, parseJson, valueAt, type Json, type JsonObject } from '../agent/json.ts';
import { readBody } from '../net/body.ts';
import type { OutgoingFetch, Response } from '../net/outgoing.ts';
import type { Reach } from '../net/reach.ts';
import { ok, unpaid, warn, type Finding } from './finding.ts';
import { USUAL_HEADER_BYTES, type DOCTOR_LIMITS } from './limits.ts';

export interface DemandDeps {
  readonly fetch: OutgoingFetch;
  /** `any` if whoever names the URL may also reach this machine and its network. */
  readonly reach: Reach;
  readonly limits: typeof DOCTOR_LIMITS;
}

/** A request to a seller. */
export interface Asked {
  readonly url: URL;
  readonly method: string;
}

/** Yields what is found on the way, and returns the content of the 402; undefined if it cannot be read. */
export async function* fetchDemand(
  { fetch, reach, limits }: DemandDeps,
  { url, method }: Asked,
): AsyncGenerator<Finding, JsonObject | undefined> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(limits.requestTimeoutMs);
    response = await fetch(url, { method, reach, signal, headers: { accept: 'application/json' } });
  } catch (error) {
    yield unpaid(
      'answer',
      `there is none: ${reasonOf(error)}`,
      'Start the seller, and name its URL as buyers would.',
    );
    return undefined;
  }
  const { status, headers } = response;
  const { bytes } = await readBody(response, limits.maxBodyBytes);
  if (status !== 402) {
    yield unexpected(status, method, headers.get('location'));
    return undefined;
  }
  yield ok('answer', 'is 402 Payment Required');
  return yield* readHeader(headers.get('payment-required'), bytes, limits.maxJsonDepth);
}

function unexpected(status: number, method: string, location: string | null): Finding {
  const text = `has status ${status}, not 402`;
  if (location !== null && status >= 300 && status < 400)
    return unpaid(
      'answer',
      `${text}: it redirects`,
      `Buyers follow no redirect. Name ${location.slice(0, LOCATION_SHOWN_CHARS)} instead.`,
    );
  if (status < 300)
    return unpaid('answer', text, 'Put the route behind the payment middleware: it is free now.');
  if (status === 404 || status === 405)
    return unpaid(
      'answer',
      text,
      `If the route takes another method than ${method}, name it: --method ${method === 'GET' ? 'POST' : 'GET'}.`,
    );
  if (status >= 500)
    return unpaid(
      'answer',
      text,
      "Read the seller's log. The stock middleware answers 500 until its facilitator answers GET /supported.",
    );
  return unpaid(
    'answer',
    text,
    'Ask for the payment first: whatever else is wrong with a request comes after it.',
  );
}

const LOCATION_SHOWN_CHARS = 500;
const HEADER = 'PAYMENT-REQUIRED';

function* readHeader(
  header: string | null,
  body: Buffer,
  maxDepth: number,
): Generator<Finding, JsonObject | undefined> {
  if (header === null) {
    const isInBody = Array.isArray(valueAt(parseJson(body.toString('utf8'), maxDepth), 'accepts'));
    const text = isInBody
      ? 'is missing: the terms are in the body, as x402 version 1 had them'
      : 'is missing';
    yield unpaid(HEADER, text, 'Send the terms of version 2 in this header, as base64 of JSON.');
    return undefined;
  }
  const required = decoded(header, maxDepth);
  if (typeof required === 'string') {
    yield unpaid(
      HEADER,
      required,
      'Send base64 of a JSON object: { "x402Version": 2, "resource", "accepts" }.',
    );
    return undefined;
  }
  yield header.length < USUAL_HEADER_BYTES
    ? ok(HEADER, `holds ${header.length} characters`)
    : warn(
        HEADER,
        `has ${header.length} characters: buyers on Node read at most ${USUAL_HEADER_BYTES} bytes of headers`,
        'Shorten examples and schemas.',
      );
  return required;
}

/** Returns the object in a header of the protocol, or says what is wrong with it. */
export function decoded(header: string, maxDepth: number): JsonObject | string {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return 'is not base64';
  const value: Json | undefined = parseJson(Buffer.from(header, 'base64').toString('utf8'), maxDepth);
  if (value === undefined) return 'is not base64 of JSON';
  return isObject(value) ? value : 'holds JSON that is not an object';
}

/** Returns the network's own reason: what fetch says itself is only that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message, name } = error as Error;
  if (name === 'TimeoutError') return 'it took too long';
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return (inner || code) ?? message;
}
