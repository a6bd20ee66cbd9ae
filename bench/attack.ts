import type { Attack, Timed } from './attack/attack.ts';
import { ATTACKS } from './attack/attacks.ts';
import { failuresOf, goalsOf, sectionOf, wellPercent, type Attacked } from './attack/report.ts';
import { HEAP_MIB, runAttack, type Outcome } from './attack/run.ts';
import { openField, type Field, type Side } from './field.ts';
import { say } from './progress.ts';
import type { Result } from './results.ts';
import { shown } from './table.ts';

/** Short, and a little under the whole second to which clients round it up. */
const LEDGER_MS = 960;

/** Measures what honest callers get while the server is attacked. The servers take turns. */
export async function benchAttack(isRehearsal: boolean): Promise<Result> {
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const attacked: Attacked[] = [];
  for (const attack of ATTACKS) {
    const size = isRehearsal ? attack.short : attack.full;
    const ours = await runOn(field, 'ours', attack, size);
    const peer = attack.fillCatalog ? undefined : await runOn(field, 'peer', attack, size);
    attacked.push({ attack, ours, peer });
  }
  const sizes = attacked.map(({ attack }) => (isRehearsal ? attack.short : attack.full));
  return {
    name: 'attack',
    notes: [
      `One attack after the other, each against a server that was started for it, with at most ${HEAP_MIB} MiB of heap (as Node has it in a container of 1 GiB). The attacker, the server, the sandbox network and the honest callers are processes of their own and share the machine. Ledgers close every ${LEDGER_MS / 1000} s. This service runs on Koa with its files on disk, the peer on Fastify.`,
      'Honest callers have another address than the attacker, and a connection for each request: health ten times a second; verify twice; a settlement a second, each of another payer to another seller; an ordinary question of discovery five times a second. They give up after 5 s, with questions after 2 s and with settlements after 10 s. Answered well is a 200 that says what it should.',
      ...attacked.map(({ attack }, nth) => `${attack.title}: ${attack.describe(sizes[nth]!)}`),
      'The peer has no discovery: none.',
    ],
    sections: attacked.map(sectionOf),
    goals: goalsOf(attacked),
  };
}

async function runOn(field: Field, side: Side, attack: Attack, size: Timed): Promise<Outcome> {
  const outcome = await runAttack(field, side, attack, size);
  const { asked, peakMib, isAlive } = outcome;
  const name = side === 'ours' ? 'this service' : 'the peer';
  say(
    `attack: ${attack.title}, ${name}: ${shown(wellPercent(asked))} % of ${asked.length} answered well, ${shown(peakMib)} MiB, ${isAlive ? 'alive' : 'not alive'}; failed: ${failuresOf(outcome)}`,
  );
  return outcome;
}
