import { createFaults } from '../../../sandbox/faults.ts';
import type { Fault, Faults } from '../../../sandbox/faults.ts';
import { createJsonRpc } from '../../../sandbox/jsonRpc.ts';
import type { HttpReply } from '../../../sandbox/reply.ts';
import type { Departure, View } from './view.ts';

/**
 * What can happen to a node: the sandbox's faults, a view of the network that is not the latest, and submissions that
 * arrive so many milliseconds late. `notFound` and `rewrite` are not among them: a node that denies again and again
 * what its ledgers hold cannot be told from one that is right.
 */
export type Trouble =
  | Exclude<Fault, { kind: 'rewrite' | 'notFound' | 'ledgersStop' }>
  | Departure
  | { kind: 'arrivesLate'; ms: number };

/** One RPC node of the network. */
export interface Node {
  readonly url: string;
  add(trouble: Trouble): void;
  heal(): void;
  isHealthy(): boolean;
  /** How long a request takes to reach it beyond the usual, in milliseconds. */
  delayMs(method: string): number;
  respond(body: string): Promise<HttpReply>;
  /** A ledger is about to close. */
  deliver(): void;
}

const MAX_TROUBLES = 20;

export function createNode(url: string, view: View): Node {
  const faults: Faults = createFaults(view.network);
  const jsonRpc = createJsonRpc(view.network, faults);
  let lateMs = 0;
  return {
    url,
    add(trouble) {
      switch (trouble.kind) {
        case 'arrivesLate':
          lateMs = trouble.ms;
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
      lateMs = 0;
    },
    isHealthy: () => lateMs === 0 && view.isTrue() && faults.list().length === 0,
    delayMs: (method) => (method === 'sendTransaction' ? lateMs : 0),
    respond: (body) => jsonRpc.respond(body, url),
    deliver: () => view.deliver(),
  };
}
