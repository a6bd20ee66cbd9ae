/** Services that are not open to everybody, or are, within limits. */
import { expect } from 'vitest';
import { block } from '../blocks.ts';
import { changed } from '../changed.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { buy, BUY, BUYER, sell, SELLER } from './market.ts';
import { fill } from '../substitutions.ts';

const STRANGERS = 'docs/strangers.md';
const EXAMPLES = 'Three examples';

export const callerKeys = scenario({
  rule: 'a seller with a key sells at a facilitator that needs one, until the key is revoked',
  blocks: {
    keys: block('docs/operator-reference.md', 'Keys for callers', 'sh'),
    seller: SELLER,
    key: block('docs/seller.md', 'With the stock packages', 'js', 2),
    buyer: BUYER,
    buy: BUY,
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox } = reader;
    const [create = '', ...others] = text.keys.trim().split('\n');
    const { stdout } = await reader.run(create);
    const [key = '', id = ''] = /\bsf_([0-9a-f]{12})_?\S+/.exec(stdout) ?? [];
    await reader.serve(
      `CALLERS=keys SUBMITTER_SECRET=${sandbox.submitter().secret()} npx stellar-facilitator`,
    );

    const payTo = sandbox.account(0n).publicKey();
    await reader.run(`export FACILITATOR_KEY=${key}`);
    await sell(reader, changed(text.seller, text.key), payTo);
    const wallet = sandbox.account().secret();
    expect((await buy(reader, text.buyer, text.buy, wallet)).stdout).toMatch(/^200 /);

    const listed = await reader.run(fill(others.join('\n'), { '0123456789ab': id }));
    expect(listed.stdout).toContain(id);
    await expect
      .poll(async () => (await buy(reader, text.buyer, text.buy, wallet)).stdout)
      .not.toMatch(/^200 /);
    expect((await buy(reader, text.buyer, text.buy, wallet)).stdout).toContain('svc_unauthorized');
  },
});

/** The rules that an example sets by itself. */
function rulesIn(commands: string): Record<string, string> {
  const assignments = [...commands.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  const {
    NETWORK: _,
    SUBMITTER_SECRET_FILE: __,
    ...rules
  } = Object.fromEntries(assignments) as Record<string, string>;
  return rules;
}

export const strangers = scenario({
  rule: 'the examples of serving strangers start a service with the rules that they name',
  blocks: {
    first: block(STRANGERS, 'Serving strangers', 'sh'),
    open: block(STRANGERS, EXAMPLES, 'sh', 1),
    closed: block(STRANGERS, EXAMPLES, 'sh', 2),
    everybody: block(STRANGERS, EXAMPLES, 'sh', 3),
    policy: block(STRANGERS, EXAMPLES, 'yaml'),
  },
  async play(text) {
    const { first, open, closed, everybody, policy } = text;
    for (const commands of [first, open, closed, everybody]) {
      const network = commands.includes('stellar:pubnet') ? 'pubnet' : 'testnet';
      // “Each needs SUBMITTER_SECRET_FILE, too, and on pubnet RPC_URL.”
      const reader = await openReader({ SUBMITTER_SECRET_FILE: 'submitters.env' }, network);
      reader.write('submitters.env', `SUBMITTER_SECRET=${reader.sandbox.submitter().secret()}\n`);
      const [, name = ''] = /^# (\S+):/.exec(policy)!;
      reader.write(name, policy);
      const service = await reader.serve(commands);
      const [line] = await service.shows(/^.*"msg":"rules for callers".*$/m);
      expect(rulesIn(commands)).not.toEqual({});
      expect(JSON.parse(line)).toMatchObject(rulesIn(commands));
      await service.stop();
    }
  },
});
