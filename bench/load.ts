import type { Answer, MeasuredServer } from './measuredServer.ts';

export interface Load {
  perSecond: number;
  /** The server's CPU for each request. */
  cpuMs: number;
  /** The share of one core that the server had; with its threads it can be more than all of it. */
  coreShare: number;
}

/** Keeps so many requests under way for a while. `check` throws where an answer is wrong. */
export async function saturate(
  server: MeasuredServer,
  body: string,
  { connections, ms }: { connections: number; ms: number },
  check: (answer: Answer) => void,
): Promise<Load> {
  const cpuBefore = await server.cpuMs();
  const startedAt = performance.now();
  let answers = 0;
  const lines = Array.from({ length: connections }, async () => {
    while (performance.now() - startedAt < ms) {
      check(await server.post('/verify', body));
      answers += 1;
    }
  });
  await Promise.all(lines);
  const tookMs = performance.now() - startedAt;
  const cpuMs = (await server.cpuMs()) - cpuBefore;
  return { perSecond: (answers / tookMs) * 1000, cpuMs: cpuMs / answers, coreShare: cpuMs / tookMs };
}

export function mustBeValid(answer: Answer): void {
  if (answer['isValid'] !== true) throw new Error(`a good payment was refused: ${JSON.stringify(answer)}`);
}
