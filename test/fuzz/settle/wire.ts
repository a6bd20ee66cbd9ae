import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { HttpReply } from '../../../sandbox/reply.ts';
import type { Connect } from '../../../src/stellar/rpc/transport.ts';
import type { RemoteNode } from './nodes.ts';

/** What passes by on the wire. */
export interface Listener {
  /** A submission is about to leave. */
  leaves(envelopeXdr: string): void;
  /** A submission has taken effect, or will not; the answer is still on its way. */
  arrived(): void;
  /** The service has read an answer by which the network did not take what was sent. */
  refused(envelopeXdr: string): void;
}

/** All connections of one process to its nodes. Instead of HTTP, but for what HTTP carries. */
export interface Wire {
  connect: Connect;
  /** Nothing leaves or arrives from now on; what has left and is still on its way arrives or is lost. */
  cut(arrives: boolean): void;
}

export function createWire(nodes: readonly RemoteNode[], meanLatencyMs: number, listener: Listener): Wire {
  const underWay = new Set<() => Promise<HttpReply>>();
  let isCut = false;
  let requests = 0;

  /** From half to one and a half of the mean: different for each request, and the same in each run. */
  const nextLatencyMs = (): number => meanLatencyMs * (0.5 + ((requests++ * 7) % 29) / 28);

  function connect(origin: string): ReturnType<Connect> {
    const node = nodes.find(({ url }) => new URL(url).origin === origin)!;
    const cancels = new Set<(reason: Error) => void>();
    return {
      dispatch(options, handler) {
        if (isCut) return true;
        const body = options.body as string;
        const { method, params } = JSON.parse(body) as { method: string; params?: { transaction: string } };
        const envelope = method === 'sendTransaction' ? params!.transaction : undefined;
        let isOver = false;
        const cancel = (reason: Error): void => {
          if (isOver) return;
          isOver = true;
          cancels.delete(cancel);
          if (!isCut) handler.onResponseError?.(controller, reason);
        };
        const controller = { abort: cancel } as unknown as Dispatcher.DispatchController;
        cancels.add(cancel);
        handler.onRequestStart?.(controller, {});
        if (envelope !== undefined) listener.leaves(envelope);
        if (!isCut) void carry();
        return true;

        async function carry(): Promise<void> {
          const latencyMs = nextLatencyMs();
          const { lateMs, retryMs } = node.transitOf(method);
          const reply = await answered(latencyMs + lateMs, retryMs);
          if (reply === undefined) return;
          if (envelope !== undefined) listener.arrived();
          await sleep(latencyMs);
          if (isOver || isCut) return;
          if ('lost' in reply) return cancel(new Error('the connection broke'));
          isOver = true;
          cancels.delete(cancel);
          if (envelope !== undefined && isRefusal(reply.text, body)) listener.refused(envelope);
          handler.onResponseStart?.(controller, reply.status, {}, '');
          handler.onResponseData?.(controller, Buffer.from(reply.text));
          handler.onResponseEnd?.(controller, {});
        }

        /** The node's reply, the second one where it was asked twice; none if the wire was cut before it was there. */
        async function answered(travelMs: number, retryMs?: number): Promise<HttpReply | undefined> {
          const arrive = (): Promise<HttpReply> => node.respond(body);
          underWay.add(arrive);
          await sleep(travelMs);
          if (!underWay.delete(arrive)) return undefined;
          if (retryMs === undefined) return arrive();
          void arrive();
          await sleep(retryMs);
          return isCut ? undefined : arrive();
        }
      },
      destroy: async () => {
        for (const cancel of cancels) cancel(new Error('the connections are closed'));
      },
    };
  }

  return {
    connect,
    cut(arrives) {
      isCut = true;
      if (arrives) for (const arrive of underWay) void arrive();
      underWay.clear();
    },
  };
}

/** By an answer that the service can believe. */
function isRefusal(text: string, body: string): boolean {
  try {
    const { id, result } = JSON.parse(text) as { id: unknown; result?: { status?: string } };
    const isAnswer = id === (JSON.parse(body) as { id: unknown }).id;
    return isAnswer && (result?.status === 'ERROR' || result?.status === 'TRY_AGAIN_LATER');
  } catch {
    return false;
  }
}
