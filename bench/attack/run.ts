import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Field, Side } from '../field.ts';
import type { MeasuredServer } from '../measuredServer.ts';
import { startChild } from '../processes.ts';
import { ask } from './ask.ts';
import type { Attack, Counts, Timed } from './attack.ts';
import { settlementsIn, startHonest, type Asked, type HonestPayments } from './honest.ts';
import { watchMemory } from './memory.ts';
import { createPayers, type Payers } from './payers.ts';

/** As Node chooses it in a container of 1 GiB. */
export const HEAP_MIB = 512;
const WARM_UP_VERIFIES = 20;
/** Honest callers go on for a moment after the attack. */
const AFTERWARDS_MS = 1_000;
/** An attack may take longer than it was told to where the machine is busy: payments for this time, too. */
const SPARE_MS = 5_000;
/** A server that does not answer within this time after the attack is not alive. */
const RECOVERY_MS = 10_000;

/** The outcome of an attack on one server. */
export interface Outcome {
  asked: Asked[];
  /** The attacker's own counts. */
  counts: Counts;
  peakMib: number;
  isAlive: boolean;
}

/** Starts a server, attacks it, and asks as honest callers do meanwhile. */
export async function runAttack(field: Field, side: Side, attack: Attack, size: Timed): Promise<Outcome> {
  const { network } = field;
  const { fillCatalog } = attack;
  const payers = createPayers(network);
  await using server = await field.startServer(side, {
    submitters: attack.submitters,
    connections: 1,
    heapMib: HEAP_MIB,
    ...(fillCatalog && { fill: (folder) => fillCatalog(join(folder, 'catalog.db'), size) }),
  });
  using memory = watchMemory(server.pid);
  const payments = await warmUp(server, attack, size, payers);
  const bodies = (await attack.prepare?.(payers, size)) ?? [];
  const setup = { file: attack.file, port: server.port, size, bodies };
  await using attacker = await startChild('attacker.ts', setup);

  await network.delayAnswers(attack.rpcDelayMs);
  const honest = startHonest(server.port, attack.honest, payments);
  const counts = await attacker.ask<Counts>('attack');
  await pause(AFTERWARDS_MS);
  const asked = await honest.stop();
  await network.delayAnswers(0);
  const isAlive = await recovers(server);
  return { asked, counts, peakMib: memory.peakMib(), isAlive };
}

async function warmUp(
  server: MeasuredServer,
  { honest }: Attack,
  { seconds }: Timed,
  payers: Payers,
): Promise<HonestPayments> {
  const settlements = honest.includes('settle')
    ? settlementsIn(seconds * 1000 + AFTERWARDS_MS + SPARE_MS)
    : 0;
  const [verify = '', first = '', ...settle] = await payers.strangers(2 + settlements);
  for (let nth = 0; nth < WARM_UP_VERIFIES; nth++) await server.post('/verify', verify);
  const answer = await server.post('/settle', first);
  if (answer['success'] !== true) throw new Error(`${server.name} did not settle: ${JSON.stringify(answer)}`);
  return { verify, settle };
}

async function recovers(server: MeasuredServer): Promise<boolean> {
  const untilMs = performance.now() + RECOVERY_MS;
  while (!server.hasEnded() && performance.now() < untilMs) {
    const options = { port: server.port, patienceMs: untilMs - performance.now() };
    const heard = await ask({ path: '/health' }, options).catch(() => undefined);
    if (heard?.status === 200) return true;
    await pause(100);
  }
  return false;
}
