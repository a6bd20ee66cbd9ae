import { connect } from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import type { CallerSettings } from '../../src/config/callers.ts';
import type { Config } from '../../src/config/config.ts';
import type { HttpLimits } from '../../src/http/limits.ts';
import { createLog } from '../../src/log/log.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { openService } from '../../src/service.ts';
import { catalogDouble, type CatalogDouble } from '../support/catalogDouble.ts';
import { expectDocumented } from '../support/contract.ts';
import { config, standInScheme } from './standIns.ts';

export * from './standIns.ts';

export type LogLine = Record<string, unknown>;

export interface TestService {
  url: string;
  port: number;
  catalog: CatalogDouble;
  /** What was logged so far. */
  log: LogLine[];
  /** The first line with this message, as soon as it is there; throws where that takes longer than LOG_WAIT_MS. */
  logged(message: string): Promise<LogLine>;
  close(): Promise<void>;
}

const LOG_WAIT_MS = 20_000;

/** A service until the test ends, with a stand-in scheme and a catalog double, which do as they are told. */
export async function startService(
  scheme: Partial<Scheme> = {},
  behaviour: Partial<Catalog> = {},
  httpLimits: Partial<HttpLimits> = {},
  callers: Partial<CallerSettings> = {},
  settings: Partial<Config> = {},
): Promise<TestService> {
  const service = await openTestService(scheme, behaviour, httpLimits, callers, settings);
  onTestFinished(() => service.close());
  return service;
}

/** The same, for several tests; close it. */
export async function openTestService(
  scheme: Partial<Scheme> = {},
  behaviour: Partial<Catalog> = {},
  httpLimits: Partial<HttpLimits> = {},
  callers: Partial<CallerSettings> = {},
  settings: Partial<Config> = {},
): Promise<TestService> {
  const catalog = catalogDouble(behaviour);
  const log: LogLine[] = [];
  const write = (line: string): void => void log.push(JSON.parse(line) as LogLine);
  const service = await openService({
    config: { ...config, ...settings, callers: { ...config.callers, ...callers } },
    secrets: { submitterSecrets: [], feeBumpSecret: undefined },
    log: createLog([], { write }),
    parts: { scheme: standInScheme(scheme), catalog },
    httpLimits,
  });
  const logged = (message: string): Promise<LogLine> =>
    vi.waitFor(
      () => {
        const line = log.find(({ msg }) => msg === message);
        if (line) return line;
        throw new Error(`nothing was logged as "${message}"`);
      },
      { timeout: LOG_WAIT_MS, interval: 5 },
    );
  return { url: service.url, port: service.port, close: () => service.close(), catalog, log, logged };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Sends a request and holds its answer to the contract. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  const answer = { status: response.status, headers, body: text === '' ? '' : (JSON.parse(text) as unknown) };
  const { pathname, search } = new URL(url);
  expectDocumented({ method: init.method ?? 'GET', path: pathname + search, ...answer });
  return answer;
}

export function post(
  url: string,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Answer> {
  return ask(url, { method: 'POST', body, headers, duplex: 'half' });
}

/** Sends bytes over a connection of their own and reads all answers that come until the other side closes it. */
export async function raw(port: number, ...parts: (string | Buffer)[]): Promise<Answer[]> {
  return answersIn(await received(port, ...parts));
}

/** The same, as text. */
export function received(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Uint8Array[] = [];
  const socket = connect(port, '127.0.0.1', () => {
    for (const part of parts) socket.write(part);
  });
  socket.on('data', (bytes: Buffer) => chunks.push(bytes));
  socket.on('error', () => {});
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  return promise;
}

/** Holds raw answers to the contract, each as the answer to its request (`GET /health`). */
export function expectAnswersTo(requests: readonly string[], answers: readonly Answer[]): void {
  expect(answers).toHaveLength(requests.length);
  for (const [index, answer] of answers.entries()) {
    const [method = '', path = ''] = requests[index]!.split(' ');
    expectDocumented({ method, path, ...answer });
  }
}

/** Reads answers that announce their length. */
function answersIn(text: string): Answer[] {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return [];
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(first.split(' ')[1]);
  if (status === 100) return [{ status, headers: {}, body: '' }, ...answersIn(text.slice(end + 4))];
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const next = end + 4 + Number(headers['content-length']);
  const body = JSON.parse(text.slice(end + 4, next)) as unknown;
  return [{ status, headers, body }, ...answersIn(text.slice(next))];
}
