import { openField } from './field.ts';
import type { MeasuredServer } from './measuredServer.ts';
import { median, printTable, sum } from './table.ts';

const ROUNDS = 5;
const VERIFIES_PER_ROUND = 200;

/** CPU, latency and RPC calls of a verify, the servers taking turns so that both meet the same weather. */
export async function benchVerify(): Promise<void> {
  await using field = await openField(5_000);
  const runs = new Map<MeasuredServer, Run[]>(field.servers.map((server) => [server, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [server, measured] of runs) {
      // A fresh payment each time: its authorization outlives a round, not the whole run.
      const body = await field.payment();
      field.sandbox.calls.reset();
      const run = await measure(server, body);
      const rpcCalls = sum(Object.values(field.sandbox.calls.counts())) / VERIFIES_PER_ROUND;
      // The first round warms both up.
      if (round > 0) measured.push({ ...run, rpcCalls });
    }
  }
  printTable(
    `verify: ${ROUNDS} rounds of ${VERIFIES_PER_ROUND}, one at a time, medians`,
    ['CPU ms', 'latency ms', 'RPC calls'],
    [...runs].map(([server, measured]) => ({
      name: server.name,
      values: [
        measured.map((r) => r.cpuMs),
        measured.map((r) => r.latencyMs),
        measured.map((r) => r.rpcCalls),
      ].map(median),
    })),
  );
}

interface Run {
  cpuMs: number;
  latencyMs: number;
  rpcCalls: number;
}

async function measure(server: MeasuredServer, body: string): Promise<Omit<Run, 'rpcCalls'>> {
  const cpuBefore = await server.cpuMicros();
  const latencies: number[] = [];
  for (let i = 0; i < VERIFIES_PER_ROUND; i++) {
    const startedAt = performance.now();
    const answer = await server.post('/verify', body);
    latencies.push(performance.now() - startedAt);
    if (answer['isValid'] !== true) throw new Error(`${server.name} refused: ${JSON.stringify(answer)}`);
  }
  const cpuMs = ((await server.cpuMicros()) - cpuBefore) / 1000 / VERIFIES_PER_ROUND;
  return { cpuMs, latencyMs: median(latencies) };
}
