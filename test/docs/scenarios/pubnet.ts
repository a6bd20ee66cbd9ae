import { expect } from 'vitest';
import { block, said } from '../blocks.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { fill } from '../substitutions.ts';

const PAGE = 'docs/pubnet.md';

export const pubnet = scenario({
  rule: 'the page of the public network leads to a settlement and a running service, on a sandbox that plays it',
  blocks: {
    accounts: block(PAGE, '2. Make the submitter accounts', 'sh'),
    settings: block(PAGE, '3. Write the settings', 'sh'),
    rehearse: block(PAGE, '4. Rehearse', 'sh'),
    pay: block(PAGE, '4. Rehearse', 'sh', 2),
    start: block(PAGE, '5. Start', 'sh'),
  },
  async play(text) {
    const reader = await openReader({}, 'pubnet');
    const { sandbox } = reader;
    const node = { 'https://…': sandbox.httpsUrl };
    const [funder, buyer, seller] = [sandbox.submitter(), sandbox.account(), sandbox.account(0n)];
    // Typed keys end with Enter and Ctrl-D.
    await reader.run(fill(text.accounts, node), `${funder.secret()}\n`);
    await reader.run(
      fill(text.settings, {
        ...node,
        ',https://…': `,${sandbox.httpsUrl.replace('127.0.0.1', 'localhost')}`,
      }),
    );
    const rehearsed = await reader.run(text.rehearse);
    expect(rehearsed.stdout).toContain('The service can start with these settings.');
    await reader.run(fill(text.pay, { 'G…': seller.publicKey() }), `${buyer.secret()}\n`);
    expect(sandbox.usdc(seller.publicKey())).toBe(1n);
    await reader.serve(text.start);
    const health = await reader.run(said(PAGE, 'curl -s http://127.0.0.1:4021/health'));
    expect(JSON.parse(health.stdout)).toMatchObject({ network: 'stellar:pubnet' });
  },
});
