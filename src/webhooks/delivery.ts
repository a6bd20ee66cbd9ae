import type { Event } from '../journal/index.ts';
import type { Attempts } from './attempts.ts';
import type { WebhookLimits } from './limits.ts';
import type { Receiver } from './receiver.ts';

export interface DeliveryDeps {
  attempts: Attempts;
  receiver: Pick<Receiver, 'close'>;
  limits: Pick<WebhookLimits, 'maxAtOnce' | 'pollIntervalMs' | 'closeWithinMs'>;
}

/** Delivers the events that are due, some at a time, until it is closed. */
export interface Delivery {
  /** Stops claiming, and waits a limited time for the attempts under way. */
  close(): Promise<void>;
}

export function createDelivery({ attempts, receiver, limits }: DeliveryDeps): Delivery {
  const underWay = new Set<Promise<void>>();
  let isClosed = false;
  /** The receiver asked for a pause until this time. */
  let restsUntilMs = -Infinity;
  let wake = (): void => {};

  async function deliver(event: Event): Promise<void> {
    const restMs = await attempts.deliver(event);
    if (restMs > 0) restsUntilMs = performance.now() + restMs;
  }

  async function begin(): Promise<void> {
    const free = limits.maxAtOnce - underWay.size;
    if (free <= 0 || performance.now() < restsUntilMs) return;
    for (const event of await attempts.claim(free)) {
      const attempt = deliver(event).finally(() => {
        underWay.delete(attempt);
        wake();
      });
      underWay.add(attempt);
    }
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      // Set this before `begin`: an attempt that ends meanwhile must wake the loop, too.
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await begin();
      const timer = setTimeout(resolve, limits.pollIntervalMs);
      await woken;
      clearTimeout(timer);
    }
  }
  const running = run();

  return {
    async close() {
      isClosed = true;
      wake();
      const timer = setTimeout(() => void receiver.close(), limits.closeWithinMs);
      await running;
      await Promise.all(underWay);
      clearTimeout(timer);
      await receiver.close();
    },
  };
}
