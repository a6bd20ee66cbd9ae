import type { Fault } from '../../../sandbox/faults.ts';
import type { HttpReply } from '../../../sandbox/reply.ts';
import { createNode } from '../../world/node.ts';
import type { Departure, View } from './view.ts';

/**
 * What can happen to a node: the sandbox's faults, a view of the network that is not the latest, and a front door that
 * passes submissions on so many milliseconds late, or once more after so many. `notFound` and `rewrite` are not among
 * them: a node that denies again and again what its ledgers hold cannot be told from one that is right.
 */
export type Trouble =
  | Exclude<Fault, { kind: 'rewrite' | 'notFound' | 'ledgersStop' }>
  | Departure
  | { kind: 'arrivesLate' | 'retries'; ms: number };

/** A node, its view of the network, and the way of a request to it. */
export interface RemoteNode {
  readonly url: string;
  add(trouble: Trouble): void;
  heal(): void;
  isHealthy(): boolean;
  /** How long a request takes to reach it beyond the usual, and after how long it is passed on again; milliseconds. */
  transitOf(method: string): { lateMs: number; retryMs: number | undefined };
  respond(body: string): Promise<HttpReply>;
  /** A ledger is about to close. */
  deliver(): void;
}

const MAX_TROUBLES = 20;
const PROMPT = { lateMs: 0, retryMs: undefined };

export function createRemoteNode(url: string, view: View): RemoteNode {
  const { faults, respond } = createNode(view.network);
  let transit: ReturnType<RemoteNode['transitOf']> = PROMPT;
  return {
    url,
    add(trouble) {
      switch (trouble.kind) {
        case 'arrivesLate':
          transit = { ...transit, lateMs: trouble.ms };
          return;
        case 'retries':
          transit = { ...transit, retryMs: trouble.ms };
          return;
        case 'deniesOnce':
        case 'lags':
        case 'oldSequence':
        case 'queues':
          return view.depart(trouble);
        default:
          if (faults.list().length < MAX_TROUBLES) faults.add(trouble);
      }
    },
    heal() {
      faults.clear();
      view.heal();
      transit = PROMPT;
    },
    isHealthy: () => transit === PROMPT && view.isTrue() && faults.list().length === 0,
    transitOf: (method) => (method === 'sendTransaction' ? transit : PROMPT),
    respond: (body) => respond(body, url),
    deliver: () => view.deliver(),
  };
}
