import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNetwork } from '../../sandbox/network.ts';
import { createWallet, keypair, transfer, USDC, XLM_10_000 } from './wallet.ts';

const SEED = 20_270_101;
const RUNS = 3_000;

const network = createNetwork();
const payer = keypair('payer');
const submitter = keypair('submitter');
network.mint(payer.publicKey(), 1_000n);
network.createAccount(submitter.publicKey(), XLM_10_000);
const wallet = createWallet(network);
const good = Buffer.from(
  await wallet.build(submitter, transfer(payer.publicKey(), USDC, 5n), payer),
  'base64',
);

/** A good envelope with some bytes changed. */
const damaged = fc
  .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    const bytes = Buffer.from(good);
    for (const [index, value] of changes) bytes[index] = value;
    return bytes.toString('base64');
  });

test(`a damaged envelope is answered, whatever its damage (seed ${SEED})`, () => {
  const methods = ['simulateTransaction', 'sendTransaction'];
  const answers = new Set<string>();
  fc.assert(
    fc.property(fc.constantFrom(...methods), damaged, (method, transaction) => {
      const answer = network.rpc(method, { transaction });
      JSON.stringify(answer);
      answers.add('error' in answer ? 'error' : 'result');
      network.closeLedger();
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(answers).toEqual(new Set(['error', 'result']));
});
