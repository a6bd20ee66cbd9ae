import { Keypair, xdr } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { createInFlight } from '../../src/scheme/settle/inFlight.ts';
import { pendingOf } from '../../src/scheme/settle/pending.ts';
import { requirementsFor, signTransfer } from '../support/payments.ts';
import { invocationIn } from '../support/serviceSettlements.ts';

const payer = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1));
const other = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 2));

/** By what a payment's authorization is known: whose it is, and which nonce it spends. */
function paymentOf(key: Keypair, nonce: bigint): string {
  const requirements = requirementsFor(other.publicKey());
  const signed = signTransfer({ key, requirements, expiration: 1, nonce });
  const envelope = xdr.TransactionEnvelope.fromXdr(signed, 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error('this is no payment');
  const { hostFunction, auth: authorization } = invocationIn(envelope.v1.tx);
  const payment = {
    authorization,
    hostFunction,
    payer: key.publicKey(),
    payTo: key.publicKey(),
    transaction: signed,
  };
  return pendingOf(payment as never, '', {}).authorization;
}

const open = (maxWaitingPerAuthorization: number) =>
  createInFlight({ maxWaitingPerAuthorization, maxWaitingForAuthorizations: 100 });

/** Work that ends when told. */
function work() {
  const { promise, resolve: end } = Promise.withResolvers<string>();
  return { run: () => promise, end };
}

test('no more payments than may wait for one authorization; the one beyond is refused at once', async () => {
  const { alone } = open(2);
  const payment = paymentOf(payer, 1n);
  const { run, end } = work();
  const running = alone(payment, run);
  const waiting = [1, 2].map((turn) => alone(payment, async () => turn));
  expect(alone(payment, async () => 'beyond')).toBeUndefined();
  end('first');
  expect(await running).toBe('first');
  expect([await waiting[0], await waiting[1]]).toEqual([1, 2]);
});

test('whoever has waited makes room for others', async () => {
  const { alone } = open(1);
  const payment = paymentOf(payer, 1n);
  for (let round = 0; round < 3; round++) {
    const { run, end } = work();
    const running = alone(payment, run);
    const waiting = alone(payment, async () => 'second');
    expect(alone(payment, async () => 'beyond')).toBeUndefined();
    end('first');
    expect([await running, await waiting]).toEqual(['first', 'second']);
  }
});

test('those who wait run one after the other, in the order of their arrival', async () => {
  const { alone } = open(10);
  const payment = paymentOf(payer, 1n);
  const log: string[] = [];
  const turns = ['a', 'b', 'c'].map((name) =>
    alone(payment, async () => {
      log.push(`${name} starts`);
      await Promise.resolve();
      log.push(`${name} ends`);
    }),
  );
  for (const turn of turns) await turn;
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});

test('work that fails lets the next one run', async () => {
  const { alone } = open(1);
  const payment = paymentOf(payer, 1n);
  const failing = alone(payment, () => Promise.reject(new Error('out of order')));
  const waiting = alone(payment, async () => 'second');
  await expect(failing).rejects.toThrow('out of order');
  expect(await waiting).toBe('second');
});

test.each([
  ['another nonce', paymentOf(payer, 2n)],
  ['another payer', paymentOf(other, 1n)],
])('a payment with %s does not wait', async (_what, another) => {
  const { alone } = open(0);
  const { run, end } = work();
  const running = alone(paymentOf(payer, 1n), run);
  expect(await alone(another, async () => 'at once')).toBe('at once');
  end('first');
  await running;
});

test('no more payments than may wait for all authorizations together', async () => {
  const { alone } = createInFlight({ maxWaitingPerAuthorization: 10, maxWaitingForAuthorizations: 1 });
  const [one, two] = [work(), work()];
  const running = [alone('one', one.run), alone('two', two.run)];
  const waiting = alone('one', async () => 'waited');
  expect(alone('two', async () => 'beyond')).toBeUndefined();
  one.end('first');
  expect(await waiting).toBe('waited');
  const later = alone('two', async () => 'waited, too');
  two.end('second');
  expect(await later).toBe('waited, too');
  for (const each of running) expect(await each).toMatch(/first|second/);
});
