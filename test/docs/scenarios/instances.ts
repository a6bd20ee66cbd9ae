import { parseEnv } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { toConfig } from '../../../src/config/config.ts';
import { newPayment, settle } from '../../kill/site.ts';
import { binaries, openPostgres } from '../../postgres/server.ts';
import { ENV } from '../../support/refusedStart.ts';
import { block } from '../blocks.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { fill } from '../substitutions.ts';

const PAGE = 'docs/instances.md';

export const instances = scenario({
  rule: 'files are moved into a database, on which the service starts with the listings that they had',
  blocks: { url: block(PAGE, 'Start', 'sh'), migrate: block(PAGE, 'Moving from SQLite', 'sh') },
  async play(text) {
    // A name of somebody's network, with TLS: it is only read.
    expect(toConfig({ ...ENV, ...parseEnv(text.url) })).not.toHaveProperty('problems');
    const { migrate } = text;
    if (binaries === undefined) {
      console.log('skipped: documents about several instances, as this machine has no PostgreSQL');
      return;
    }
    const postgres = await openPostgres();
    onTestFinished(() => postgres.close());
    const reader = await openReader();
    const start = `SUBMITTER_SECRET=${reader.sandbox.submitter().secret()} npx stellar-facilitator`;
    const url = `http://127.0.0.1:${reader.ports.service}`;
    const alone = await reader.serve(start);
    const payment = newPayment(reader.sandbox);
    expect((await settle(url, payment)).body).toMatchObject({ success: true });
    await alone.stop();

    const database = await postgres.database();
    await reader.run(fill(migrate, { 'postgres://…': database }));
    await reader.serve(`DB_PATH=index.db DATABASE_URL=${database} ${start}`);
    await expect
      .poll(async () => (await fetch(`${url}/discovery/resources`)).json())
      .toMatchObject({ items: [{ resource: payment.url }] });
  },
});
