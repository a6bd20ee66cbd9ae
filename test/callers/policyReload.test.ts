import { rmSync, writeFileSync } from 'node:fs';
import { Keypair, StrKey } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import type { SupportedResponse } from '../../src/contract/index.ts';
import { ask } from '../http/support.ts';
import { startService } from '../kill/process.ts';
import { NATIVE, USDC } from '../support/payments.ts';
import { CHECK_SECRET, policyFile, policyWith } from '../support/policy.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { openOperatorCheck } from './operatorCheck.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment } = settlementsOn(stage);

const ENVIRONMENT = {
  SUBMITTER_SECRET: Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret(),
  RPC_URL: 'http://127.0.0.1:1',
  DB_PATH: ':memory:',
};

async function assetsOf(url: string): Promise<unknown> {
  const { body } = await ask(`${url}/supported`);
  return (body as SupportedResponse).kinds[0]!.extra?.['assets'];
}

test('SIGHUP reads the file again; a wrong file keeps the policy, and each problem is logged', async () => {
  const POLICY_FILE = policyFile(`assets: { allow: [${USDC}] }`);
  const service = startService({ ...ENVIRONMENT, POLICY_FILE, POLICY_CHECK_SECRET: CHECK_SECRET });
  const url = await service.url;
  expect(await assetsOf(url)).toEqual([USDC]);

  writeFileSync(POLICY_FILE, `assets: { allow: [${NATIVE}] }`);
  service.kill('SIGHUP');
  await service.line(/"msg":"the policy file was read again"/);
  expect(await assetsOf(url)).toEqual([NATIVE]);

  const wrong = [`assets: { allow: [${USDC}] }`, 'assetz: 1', 'payerz: 1'].join('\n');
  writeFileSync(POLICY_FILE, wrong);
  service.kill('SIGHUP');
  await service.line(/payerz/);
  const problems = service.logged().filter(({ level }) => level === 'error');
  expect(problems).toEqual([
    expect.objectContaining({
      msg: 'the policy file is wrong: the policy stays as it was',
      problem: expect.stringMatching(/^line 2: the file must not have "assetz"/),
    }),
    expect.objectContaining({ problem: expect.stringMatching(/^line 3: the file must not have "payerz"/) }),
  ]);
  expect(await assetsOf(url)).toEqual([NATIVE]);

  rmSync(POLICY_FILE);
  service.kill('SIGHUP');
  await service.line(/ENOENT/);
  expect(await assetsOf(url)).toEqual([NATIVE]);
  service.kill('SIGTERM');
  const { code, lines } = await service.ended;
  expect(code).toBe(0);
  expect(lines.join('\n')).not.toContain(CHECK_SECRET.slice(6, 20));
});

test('without a policy file, SIGHUP ends the process', async () => {
  const service = startService(ENVIRONMENT);
  await service.url;
  service.kill('SIGHUP');
  expect(await service.ended).toMatchObject({ code: null, signal: 'SIGHUP' });
});

test('a new policy applies to the requests after it, and those that the old check decides end by it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = await openOperatorCheck(async (response) => {
    await promise;
    response.end('{"accept":true}');
  });
  const policy = policyWith(`check: { url: '${check.url}', ifSilent: refuse, timeoutMs: 5000 }`);
  const { verify, readPolicyAgain } = await stage.open({ policy });
  const before = verify(newPayment().request);
  await expect.poll(() => check.asked.length, { interval: 2 }).toBe(1);

  const other = StrKey.encodeContract(Buffer.alloc(32, 1));
  writeFileSync(policy.file!, `assets: { allow: [${other}] }`);
  readPolicyAgain();
  expect(await verify(newPayment().request)).toMatchObject({ invalidReason: 'svc_policy_asset' });
  resolve();
  expect(await before).toMatchObject({ isValid: true });
});
