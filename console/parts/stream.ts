/** Follows the overview. It does not use `EventSource`, which hides comments and the reason for a refusal. */
import { isUnauthorized, throwIfRefused, type Overview } from './api.ts';

export interface StreamListener {
  overview(overview: Overview): void;
  /** The service sent something, even if nothing has changed. */
  heard(): void;
  /** The connection is lost. A new attempt follows. */
  lost(reason: string): void;
  /** The port asks for a sign-in. The stream has ended. */
  unauthorized(): void;
}

/** The service sends something every second. */
const SILENCE_MS = 6_000;
const RETRY_MS = 1_000;
const RETRY_LIMIT_MS = 5_000;

/** Returns a function that ends the stream. */
export function followOverview(listener: StreamListener): () => void {
  const ended = new AbortController();
  void follow(listener, ended.signal);
  return () => ended.abort();
}

async function follow(listener: StreamListener, ended: AbortSignal): Promise<void> {
  for (let waitMs = RETRY_MS; !ended.aborted; waitMs = Math.min(waitMs * 1.5, RETRY_LIMIT_MS)) {
    const hear = (): void => {
      waitMs = RETRY_MS;
      listener.heard();
    };
    const fault = await read({ ...listener, heard: hear }, ended).catch((error: unknown) => error as Error);
    if (ended.aborted) return;
    if (isUnauthorized(fault)) return listener.unauthorized();
    listener.lost(
      fault instanceof Error && fault.name !== 'TypeError' ? fault.message : 'It does not answer.',
    );
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Reads one connection until it ends, or sends nothing for too long. */
async function read(listener: StreamListener, ended: AbortSignal): Promise<void> {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(new Error('It went silent.')), SILENCE_MS);
  };
  listen();
  try {
    const response = await fetch('/events', { signal: AbortSignal.any([ended, silent.signal]) });
    await throwIfRefused(response);
    let text = '';
    for await (const piece of piecesOf(response.body!)) {
      listen();
      listener.heard();
      const events = (text + piece).split('\n\n');
      text = events.pop()!;
      const latest = events.findLast((event) => event.startsWith('event: overview\n'));
      if (latest !== undefined) listener.overview(dataOf(latest));
    }
    throw new Error('It closed the connection.');
  } finally {
    clearTimeout(timer);
  }
}

/** Some browsers cannot iterate over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function dataOf(event: string): Overview {
  return JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)) as Overview;
}
