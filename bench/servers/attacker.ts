/** The process that attacks, so that attacking takes no time from what honest callers and servers do. */
import type { Attack, Counts, Timed } from '../attack/attack.ts';
import { serve } from './child.ts';

export interface AttackSetup {
  file: string;
  port: number;
  size: Timed;
  bodies: readonly string[];
}

let send: () => Promise<Counts>;

serve(
  async ({ file, port, size, bodies }: AttackSetup) => {
    const { attack } = (await import(new URL(`../attack/${file}`, import.meta.url).href)) as {
      attack: Attack;
    };
    send = () => attack.send({ port }, size, bodies);
    return {};
  },
  { attack: () => send() },
);
