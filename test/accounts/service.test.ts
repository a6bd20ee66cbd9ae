import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SettleResponse } from '../../src/contract/index.ts';
import { post } from '../http/support.ts';
import { requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';
import {
  addressesIn,
  expectDone,
  runAccounts,
  submitterSecretIn,
  temporaryFolder,
} from './accountsProcess.ts';

/** The service as `npm start` starts it; resolves when it listens. */
function startService(environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['dist/stellar-facilitator.js'], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString();
      const line = stdout.split('\n').find((candidate) => candidate.includes('"listening"'));
      if (line) resolve((JSON.parse(line) as { url: string }).url);
    });
    child.on('close', () => reject(new Error(stdout)));
  });
}

test('the service starts with the accounts that were made, and settles with them', async () => {
  const sandbox = await openSandbox();
  onTestFinished(() => sandbox.close());
  const folder = temporaryFolder();
  const environment = { RPC_URL: sandbox.url };
  expectDone(await runAccounts(folder, environment, 'create', '--count', '2'));
  const file = join(folder, 'submitters.env');
  const url = await startService({
    ...environment,
    SUBMITTER_SECRET: submitterSecretIn(file),
    PORT: '0',
    DB_PATH: ':memory:',
  });
  const payments = Array.from({ length: 2 }, () => {
    const requirements = requirementsFor(sandbox.account(0n).publicKey());
    const key = sandbox.account();
    const expiration = sandbox.expirationIn(requirements.maxTimeoutSeconds);
    return requestFor(requirements, signTransfer({ key, requirements, expiration, nonce: sandbox.nonce() }));
  });
  const answers = await Promise.all(
    payments.map((payment) => post(`${url}/settle`, JSON.stringify(payment))),
  );
  expect(answers.map(({ body }) => body as SettleResponse)).toMatchObject([
    { success: true },
    { success: true },
  ]);
  const spent = addressesIn(file).map((address) => 100_000_000_000n - sandbox.native(address));
  expect(spent.every((stroops) => stroops > 0n)).toBe(true);
});
