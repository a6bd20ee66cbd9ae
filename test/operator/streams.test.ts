import { expect, onTestFinished, test } from 'vitest';
import type { Overview } from '../../src/contract/index.ts';
import { SILENT_LOG } from '../../src/log/log.ts';
import type { OperatorLimits } from '../../src/operator/limits.ts';
import { openOperator, type OperatorServer } from '../../src/operator/index.ts';
import { ask } from './asking.ts';

const TOKEN = 'an-operators-token-of-enough-characters';

/** Waits for more of a stream. Returns false at its end. */
type Stream = () => Promise<boolean>;

interface Opened extends OperatorServer {
  url: string;
  signIn(): Promise<{ cookie: string }>;
  /** Opens a stream, and waits for its first event. */
  follow(headers: Record<string, string>): Promise<Stream>;
}

async function open(limits: Partial<OperatorLimits> = {}): Promise<Opened> {
  let nth = 0;
  const server = await openOperator({
    place: { host: '127.0.0.1', port: 0 },
    token: TOKEN,
    version: '0.1.0',
    records: {} as never,
    keeper: {} as never,
    webhooks: undefined,
    readiness: () => Promise.resolve({ ready: true, checks: [] }),
    metrics: () => Promise.reject(new Error('not asked')),
    overview: () => Promise.resolve({ inFlight: (nth += 1) } as Overview),
    log: SILENT_LOG,
    limits: { eventEveryMs: 10, closeWithinMs: 10, ...limits },
  });
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  return {
    ...server,
    url,
    async signIn() {
      const { headers } = await ask(url, '/session', { method: 'POST', body: { token: TOKEN } });
      return { cookie: String(headers['set-cookie']).split(';')[0]! };
    },
    async follow(headers) {
      const left = new AbortController();
      onTestFinished(() => left.abort());
      const { status, body } = await fetch(`${url}/events`, { headers, signal: left.signal });
      expect(status).toBe(200);
      const reader = body!.getReader();
      await reader.read();
      return async () => !(await reader.read()).done;
    },
  };
}

async function endOf(more: Stream): Promise<void> {
  while (await more());
}

test('all streams of a session end when its browser signs out, and no others', async () => {
  const { url, signIn, follow } = await open();
  const [own, another] = [await signIn(), await signIn()];
  const tabs = [await follow(own), await follow(own)];
  const others = [await follow(another), await follow({ ...own, authorization: `Bearer ${TOKEN}` })];
  await ask(url, '/session', { method: 'DELETE', headers: { ...own, origin: url } });
  await Promise.all(tabs.map(endOf));
  for (const more of others) for (let nth = 0; nth < 5; nth += 1) expect(await more()).toBe(true);
});

test('a stream ends when its session is over', async () => {
  const { signIn, follow } = await open({ sessionMs: 1_500 });
  await endOf(await follow(await signIn()));
});

test('when the service stops, streams end at once', async () => {
  const { follow, close } = await open({ eventEveryMs: 600_000, closeWithinMs: 600_000 });
  const more = await follow({ authorization: `Bearer ${TOKEN}` });
  await close();
  await endOf(more);
});
