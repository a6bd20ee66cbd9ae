import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Heard, type Question } from './ask.ts';

/** Honest callers ask so often, each on a connection of its own. */
const INTERVAL_MS = { health: 100, verify: 500, settle: 1_000, question: 200 } as const;
export type HonestKind = keyof typeof INTERVAL_MS;

/** They give up after this time; where a ledger has to be waited for, after about ten. */
const PATIENCE_MS = { health: 5_000, verify: 5_000, settle: 10_000, question: 2_000 } as const;

/** Another address than the attacker's, where loopback has more than one. */
const ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;

/** One request of an honest caller. */
export interface Asked {
  kind: HonestKind;
  tookMs: number;
  /** Why it was not answered well. */
  failure?: string;
}

/** Payments as request bodies: one that is verified over and over, and one for each settlement. */
export interface HonestPayments {
  verify: string;
  settle: readonly string[];
}

export interface HonestTraffic {
  /** Asks no more, and tells what became of everything that was asked. */
  stop(): Promise<Asked[]>;
}

/** The honest callers need this many payments in this time. */
export const settlementsIn = (ms: number): number => Math.ceil(ms / INTERVAL_MS.settle) + 1;

/** Asks at a steady rate, whatever becomes of the answers. */
export function startHonest(
  port: number,
  kinds: readonly HonestKind[],
  payments: HonestPayments,
): HonestTraffic {
  const stopped = new AbortController();
  const asked: Promise<Asked>[] = [];
  const lines = kinds.map(async (kind) => {
    const startedAt = performance.now();
    for (let nth = 0; !stopped.signal.aborted; nth++) {
      const question = questionOf(kind, nth, payments);
      if (question === undefined) return;
      asked.push(askAs(kind, question, port));
      const nextAt = startedAt + (nth + 1) * INTERVAL_MS[kind];
      await pause(Math.max(0, nextAt - performance.now()), undefined, { signal: stopped.signal }).catch(
        () => {},
      );
    }
  });
  return {
    async stop() {
      stopped.abort();
      await Promise.all(lines);
      return Promise.all(asked);
    },
  };
}

/** None where all payments have been settled. */
function questionOf(kind: HonestKind, nth: number, payments: HonestPayments): Question | undefined {
  if (kind === 'health') return { path: '/health' };
  if (kind === 'question') return { path: QUESTIONS[nth % QUESTIONS.length]! };
  if (kind === 'verify') return { path: '/verify', body: payments.verify };
  const body = payments.settle[nth];
  return body === undefined ? undefined : { path: '/settle', body };
}

const QUESTIONS = ['/discovery/search?query=weather+for+a+place', '/discovery/resources'];

async function askAs(kind: HonestKind, question: Question, port: number): Promise<Asked> {
  const startedAt = performance.now();
  const failure = await ask(question, { port, patienceMs: PATIENCE_MS[kind], localAddress: ADDRESS }).then(
    (heard) => failureOf(kind, heard),
    (error: Error) => error.message,
  );
  const tookMs = performance.now() - startedAt;
  return { kind, tookMs, ...(failure !== undefined && { failure }) };
}

function failureOf(kind: HonestKind, { status, text }: Heard): string | undefined {
  if (status !== 200) return `status ${status}`;
  if (kind === 'health' || kind === 'question') return undefined;
  const answer = JSON.parse(text) as Record<string, unknown>;
  if (answer['isValid'] === true || answer['success'] === true) return undefined;
  return String(answer['invalidReason'] ?? answer['errorReason']);
}
