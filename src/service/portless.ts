import type { Config, Secrets } from '../config/config.ts';
import { createAsking, type Ask } from '../http/asking.ts';
import type { Log } from '../log/log.ts';
import { checkNodes } from './foreignNodes.ts';
import { createParts } from './parts.ts';
import { createServed } from './publicServer.ts';
import { openTracing } from './tracing.ts';

export interface PortlessService {
  readonly ask: Ask;
  /** Answers the requests in flight within a bounded time, and closes the parts. */
  close(): Promise<void>;
}

const PORT = 0;

/** Builds the same parts as the service, for callers in this process. Fails as `openService` does. */
export async function openPortless(given: Config, secrets: Secrets, givenLog: Log): Promise<PortlessService> {
  // Whoever runs this process needs no key.
  const callers = { ...given.callers, needKey: false, discoveryNeedsKey: false };
  const config = { ...given, operator: undefined, callers };
  const tracing = await openTracing(config, secrets, givenLog);
  const { log, tracer } = tracing;
  const parts = await createParts({ config, secrets, given: {}, observers: undefined, tracer, log });
  async function close(): Promise<void> {
    await parts.close(async () => {});
    await tracing.close();
  }
  try {
    await parts.open();
    checkNodes(parts.scheme, config.network);
    const { handlers } = createServed({ config, parts, boundPort: () => PORT });
    return { ask: await createAsking({ handlers, network: config.network, log }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
