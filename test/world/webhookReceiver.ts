/** An operator's server that is told the outcomes of settlements, and takes them or does not. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** A message that arrived. */
export interface Arrival {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
  readonly path: string;
  readonly content: { type: string; timestamp: string; data: Record<string, unknown> };
  /** True if it was signed with the secret. */
  readonly isSigned: boolean;
  /** True if the receiver keeps it, whether or not its answer arrives. */
  isTaken: boolean;
  /** The event that was first in the line of the recipient then, if the test looks. */
  firstInLine?: string | undefined;
}

/** What the receiver does: a status, an answer that is lost although it takes the message, or nothing for ever. */
export type Answer =
  | { status: number; headers?: Record<string, string>; delayMs?: number; endlessBody?: boolean }
  | 'lost'
  | 'silence';

export interface WebhookReceiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Returns the arrivals that were taken, by id. */
  taken(): ReadonlySet<string>;
  answer: (arrival: Arrival) => Answer;
  /** Looks which event is first in the line of this one, when it arrives. */
  lookAtLine: (id: string) => Promise<string | undefined> | string | undefined;
  close(): Promise<void>;
}

export async function openWebhookReceiver(path = '/hooks?key=0123456789'): Promise<WebhookReceiver> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const header = (name: string): string => String(request.headers[name]);
      const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
      const signed = new Webhook(WEBHOOK_SECRET).sign(id, new Date(Number(timestamp) * 1_000), body);
      const arrival: Arrival = {
        id,
        timestamp,
        body,
        path: request.url!,
        content: JSON.parse(body) as Arrival['content'],
        isSigned: signed === header('webhook-signature'),
        isTaken: false,
      };
      const firstInLine = await receiver.lookAtLine(id);
      const answer = receiver.answer(arrival);
      arrivals.push({
        ...arrival,
        ...(firstInLine !== undefined && { firstInLine }),
        isTaken: answer === 'lost' || (answer !== 'silence' && Math.floor(answer.status / 100) === 2),
      });
      await give(answer, response);
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    arrivals,
    taken: () => new Set(arrivals.filter(({ isTaken }) => isTaken).map(({ id }) => id)),
    answer: () => ({ status: 204 }),
    lookAtLine: () => undefined,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

/** Fails now and then, is slow, and loses answers; calm, it takes all. */
export function moody(random: { next(): number }): () => Answer {
  return () => {
    const chance = random.next();
    if (chance < 0.15) return { status: 500 };
    if (chance < 0.3) return 'lost';
    if (chance < 0.33) return 'silence';
    return { status: 200, delayMs: chance < 0.5 ? 500 * random.next() : 0 };
  };
}

async function give(answer: Answer, response: ServerResponse): Promise<void> {
  if (answer === 'silence') return;
  if (answer === 'lost') return void response.destroy();
  await sleep(answer.delayMs ?? 0);
  response.writeHead(answer.status, answer.headers);
  if (!answer.endlessBody) return void response.end();
  while (!response.destroyed) {
    response.write(Buffer.alloc(8_192));
    await sleep(1);
  }
}
