import { openField } from './field.ts';
import { median, printTable, sum } from './table.ts';

const SETTLEMENTS = 5;
const LEDGER_MS = 5_000;

/** RPC calls and time of a settlement, alone on a network with 5 s ledgers. */
export async function benchSettle(): Promise<void> {
  await using field = await openField(LEDGER_MS);
  const rows = [];
  for (const server of field.servers) {
    const calls: number[] = [];
    const seconds: number[] = [];
    const cpuMs: number[] = [];
    for (let i = 0; i < SETTLEMENTS; i++) {
      const body = await field.payment();
      field.sandbox.calls.reset();
      const cpuBefore = await server.cpuMicros();
      const startedAt = performance.now();
      const answer = await server.post('/settle', body);
      seconds.push((performance.now() - startedAt) / 1000);
      cpuMs.push(((await server.cpuMicros()) - cpuBefore) / 1000);
      calls.push(sum(Object.values(field.sandbox.calls.counts())));
      if (answer['success'] !== true) throw new Error(`${server.name} failed: ${JSON.stringify(answer)}`);
      console.error(`${server.name}: settlement ${i + 1} of ${SETTLEMENTS}, ${calls.at(-1)} RPC calls`);
    }
    rows.push({
      name: server.name,
      values: [median(calls), Math.max(...calls), median(seconds), median(cpuMs)],
    });
  }
  printTable(
    `settle: ${SETTLEMENTS} payments, one alone at a time, ${LEDGER_MS} ms ledgers`,
    ['RPC calls', 'at most', 'seconds', 'CPU ms'],
    rows,
  );
}
