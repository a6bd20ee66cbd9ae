import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { expectDone, runAccounts, temporaryFolder } from './accountsProcess.ts';

let sandbox: TestSandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  folder = temporaryFolder();
});

/** An account with a balance in stroops. */
function account(stroops: bigint): Keypair {
  const key = sandbox.keyWithoutAccount();
  sandbox.network.createAccount(key.publicKey(), stroops);
  return key;
}

const secretsOf = (...keys: Keypair[]) => keys.map((key) => key.secret()).join(',');

async function listed(environment: Record<string, string>, ...args: string[]): Promise<any> {
  const ended = await runAccounts(
    folder,
    { RPC_URL: sandbox.url, ...environment },
    'list',
    '--json',
    ...args,
  );
  expectDone(ended);
  return JSON.parse(ended.stdout);
}

describe('--json', () => {
  test('has what each account holds, what of it can be spent, and how many settlements that pays for', async () => {
    const [rich, poor, missing] = [account(51_234_567n), account(10_049_999n), sandbox.keyWithoutAccount()];
    const answer = await listed({ SUBMITTER_SECRET: secretsOf(rich, poor, missing) });
    expect(answer).toEqual({
      network: 'stellar:testnet',
      feeStroops: { highest: 50_000, usual: 24_000 },
      accounts: [
        {
          address: rich.publicKey(),
          role: 'submitter',
          exists: true,
          balance: '5.1234567',
          spendable: '4.1234567',
          sequence: String(sandbox.network.balances(rich.publicKey()).sequence),
          settlements: { atLeast: 824, usually: 1_718 },
        },
        {
          address: poor.publicKey(),
          role: 'submitter',
          exists: true,
          balance: '1.0049999',
          spendable: '0.0049999',
          sequence: String(sandbox.network.balances(poor.publicKey()).sequence),
          settlements: { atLeast: 0, usually: 2 },
        },
        {
          address: missing.publicKey(),
          role: 'submitter',
          exists: false,
          balance: null,
          spendable: null,
          sequence: null,
          settlements: { atLeast: 0, usually: 0 },
        },
      ],
      total: { balance: '6.1284566', spendable: '4.1284566', settlements: { atLeast: 824, usually: 1_720 } },
    });
  });

  test('keeps a reserve for each entry that an account owns', async () => {
    const key = account(51_234_567n);
    sandbox.network.mint(key.publicKey(), 1n);
    const answer = await listed({ SUBMITTER_SECRET: secretsOf(key) });
    expect(answer.accounts[0]).toMatchObject({ balance: '5.1234567', spendable: '3.6234567' });
  });

  test('counts with the highest fee that the service bids', async () => {
    const key = account(20_000_000n);
    const environment = { SUBMITTER_SECRET: secretsOf(key), MAX_TRANSACTION_FEE_STROOPS: '20000' };
    const answer = await listed(environment);
    expect(answer.accounts[0].settlements).toEqual({ atLeast: 500, usually: 500 });
  });

  test('has the fee account, which pays for all, as the service would', async () => {
    const [submitter, feeAccount] = [account(10_000_000n), account(20_000_000n)];
    const answer = await listed({
      SUBMITTER_SECRET: secretsOf(submitter),
      FEE_BUMP_SECRET: feeAccount.secret(),
    });
    expect(answer.accounts).toMatchObject([
      { address: submitter.publicKey(), role: 'submitter', settlements: null },
      { address: feeAccount.publicKey(), role: 'feeBump', settlements: { atLeast: 200, usually: 416 } },
    ]);
    expect(answer.total.settlements).toEqual({ atLeast: 200, usually: 416 });
  });

  test('has the accounts of the environment and of the file, each once', async () => {
    const [both, own, filed, feeAccount] = [1n, 2n, 3n, 4n].map((xlm) => account(xlm * 10_000_000n));
    const file = join(folder, 'some.env');
    const line = `SUBMITTER_SECRET='${secretsOf(both!, filed!)}'`;
    writeFileSync(file, `# keys\nexport ${line}\nFEE_BUMP_SECRET=${feeAccount!.secret()}\n`);
    const answer = await listed({ SUBMITTER_SECRET: secretsOf(own!, both!) }, '--file', file);
    expect(answer.accounts.map(({ address }: { address: string }) => address)).toEqual(
      [own, both, filed, feeAccount].map((key) => key!.publicKey()),
    );
  });

  test('asks once for 200 accounts', async () => {
    const keys = Array.from({ length: 201 }, (_, index) =>
      Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)),
    );
    sandbox.network.createAccount(keys[200]!.publicKey(), 20_000_000n);
    sandbox.calls.reset();
    const answer = await listed({ SUBMITTER_SECRET: secretsOf(...keys) });
    expect(sandbox.calls.counts()).toEqual({ getNetwork: 1, getLedgerEntries: 2 });
    expect(answer.accounts.filter(({ exists }: { exists: boolean }) => exists)).toHaveLength(1);
  });
});

test('the table has a line for each account and a total, and says what it counts with', async () => {
  const [rich, missing] = [account(51_234_567n), sandbox.keyWithoutAccount()];
  const environment = { RPC_URL: sandbox.url, SUBMITTER_SECRET: secretsOf(rich, missing) };
  const ended = await runAccounts(folder, environment, 'list');
  expectDone(ended);
  const rows = ended.stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  const sequence = String(sandbox.network.balances(rich.publicKey()).sequence);
  expect(rows).toContainEqual([rich.publicKey(), '5.1234567', '4.1234567', sequence, '824', '1,718']);
  expect(rows).toContainEqual([missing.publicKey(), 'no account', '-', '-', '0', '0']);
  expect(rows).toContainEqual(['total', '5.1234567', '4.1234567', '824', '1,718']);
  expect(ended.stdout).toContain('at 50000 stroops each');
  expect(ended.stdout).toContain('1 of them does not exist on stellar:testnet');
});

test('an RPC of another network exits 78', async () => {
  const rewrite = () => ({ passphrase: 'Standalone Network' });
  sandbox.faults.add({ kind: 'rewrite', methods: ['getNetwork'], times: 1, rewrite });
  const environment = { RPC_URL: sandbox.url, SUBMITTER_SECRET: secretsOf(account(1n)) };
  const { code, stderr } = await runAccounts(folder, environment, 'list');
  expect(code).toBe(78);
  expect(stderr).toBe(
    'RPC_URL belongs to another network than NETWORK, stellar:testnet: its passphrase is "Standalone Network"\n',
  );
});
