/** Who runs the service on the testnet, and looks after it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accountOf } from '../../catalog/sellers.ts';
import { bazaar, termsFor } from '../../catalog/settledPayments.ts';
import { newPayment, settle } from '../../kill/site.ts';
import { block, said } from '../blocks.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { fill } from '../substitutions.ts';

const REFERENCE = 'docs/operator-reference.md';

export const readmeAccounts = scenario({
  rule: 'accounts made as the README says start the service',
  blocks: { both: block('README.md', 'Run it', 'sh', 2) },
  async play(text) {
    const reader = await openReader();
    await reader.serve(text.both);
    expect(reader.read('submitters.env')).toMatch(/^SUBMITTER_SECRET=S/m);
  },
});

export const operating = scenario({
  rule: 'the operator’s page makes accounts, starts the service under a supervisor, and copies its catalog',
  blocks: {
    accounts: block('docs/operator.md', 'Make accounts', 'sh'),
    start: block('docs/operator.md', 'Start', 'sh'),
    backup: block('docs/operator.md', 'Back up and restore', 'sh'),
    file: block(REFERENCE, 'Keys in files', 'sh'),
    systemd: block(REFERENCE, 'Keys in files', 'ini'),
  },
  async play(text) {
    const reader = await openReader();
    const made = await reader.run(text.accounts);
    expect(made.stdout.match(/\bG[A-Z2-7]{55}\b/g)?.length).toBeGreaterThanOrEqual(20);
    await (await reader.serve(text.start)).stop();
    const program = said('docs/operator.md', 'node_modules/.bin/node dist/stellar-facilitator.js');
    const service = await reader.serve(`SUBMITTER_SECRET_FILE=submitters.env ${program}`);
    const curl = `${said('docs/operator.md', 'curl http://127.0.0.1:4022/ready')} -s`;
    expect(JSON.parse((await reader.run(curl)).stdout)).toMatchObject({ ready: true });
    await reader.run(fill(text.backup, { '/backups/catalog-monday.db': 'catalog-monday.db' }));
    expect(reader.read('catalog-monday.settlements.db')).toContain('SQLite format 3');
    expect(await service.stop()).toMatchObject({ code: 0 });

    const file = join(reader.folder, 'submitters.env');
    const other = await reader.serve(fill(text.file, { '/run/secrets/submitters': file }));
    await other.stop();
    // What systemd does with these lines.
    const credentials = join(reader.folder, 'credentials');
    mkdirSync(credentials);
    const unit = fill(text.systemd, { '/etc/stellar-facilitator/submitters': file, '%d': credentials });
    const [, id, source] = /^LoadCredential=(\w+):(.+)$/m.exec(unit)!;
    copyFileSync(source!, join(credentials, id!));
    const [, environment] = /^Environment=(\S+)$/m.exec(unit)!;
    await reader.serve(`${environment} npx stellar-facilitator`);
  },
});

export const lookingAfter = scenario({
  rule: 'the commands of the reference show payments, compare them with the ledger, and keep the catalog and exchange it',
  blocks: {
    payments: block(REFERENCE, 'Payments in the terminal', 'sh'),
    listings: block(REFERENCE, 'Moderate listings', 'sh'),
    exchange: block(REFERENCE, 'Exchange with other facilitators', 'sh'),
  },
  async play(text) {
    const reader = await openReader();
    const { sandbox, ports } = reader;
    await reader.serve(`SUBMITTER_SECRET=${sandbox.submitter().secret()} npx stellar-facilitator`);
    const url = `http://127.0.0.1:${ports.service}`;
    const payment = newPayment(sandbox, { url: 'https://shop.example.com/casino', description: 'Luck' });
    const { body } = await settle(url, payment);
    expect(body).toMatchObject({ success: true });
    const { transaction } = body as { transaction: string };

    const shown = await reader.run(fill(text.payments, { '6f1a8fe3': transaction.slice(0, 8) }));
    expect(shown.stdout).toContain(transaction);
    expect(reader.read('payments.csv').split('\n')).toEqual([
      expect.stringContaining('hash'),
      expect.stringContaining(transaction),
      '',
    ]);

    const listed = async (): Promise<unknown> => (await fetch(`${url}/discovery/resources`)).json();
    expect(await listed()).toMatchObject({ items: [{ resource: payment.url }] });
    const theirs = {
      resource: 'https://theirs.example.com/weather',
      x402Version: 2,
      accepts: [termsFor(accountOf('theirs'), 1)],
      lastUpdated: '2026-01-02T03:04:05Z',
      extensions: { bazaar },
    };
    writeFileSync(join(reader.folder, 'theirs.json'), JSON.stringify({ items: [theirs] }));
    const exchanged = await reader.run(text.exchange);
    expect(exchanged.stdout).toContain('1 imported from https://facilitator.example.com');
    expect(JSON.parse(reader.read('catalog.json'))).toMatchObject({ items: [{ resource: payment.url }] });
    const json = await reader.run('npx stellar-facilitator listings list --json');
    const id = /"id": ?(\d+)/.exec(json.stdout)![1]!;
    const kept = await reader.run(fill(text.listings, { '4711': id }));
    expect(kept.stdout).toContain(payment.url);
    expect(kept.stdout).toContain('takes money, delivers nothing');
    expect(await listed()).toMatchObject({ items: [{ resource: theirs.resource }] });
  },
});
