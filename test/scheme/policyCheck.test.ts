import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import type { PaymentPolicy } from '../../src/scheme/index.ts';
import { encodeAttempt } from '../support/paymentsAttempt.ts';
import { openScheme } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test.each(['verify', 'settle'] as const)(
  'while a %s waits for the check, neither the request nor what was decoded of it is kept',
  async (operation) => {
    const held: WeakRef<object>[] = [];
    const { promise: checked, resolve } = Promise.withResolvers<undefined>();
    const policy: PaymentPolicy = {
      refusal: (payment) => void held.push(new WeakRef(payment)),
      check: () => checked,
    };
    const submitters = [stage.sandbox.submitter()];
    const scheme = openScheme({ ...stage.options, submitters, parts: { policy } });
    onTestFinished(() => scheme.close());
    const ask = (): Promise<object> => {
      const request = encodeAttempt(stage.payment());
      held.push(new WeakRef(request));
      return scheme[operation](request);
    };
    const answer = ask();
    await setImmediate();
    await setImmediate();
    collectGarbage();
    expect(held.map((reference) => reference.deref())).toEqual([undefined, undefined]);
    resolve(undefined);
    expect(await answer).toMatchObject(operation === 'verify' ? { isValid: true } : { success: true });
  },
);

test('the time that the check takes is time that the seller waits: too late a payment is not sent', async () => {
  const policy: PaymentPolicy = { refusal: () => undefined, check: () => sleep(300, undefined) };
  const parts = { policy, limits: { answerWithinMs: 100 } };
  const scheme = openScheme({ ...stage.options, submitters: [stage.sandbox.submitter()], parts });
  onTestFinished(() => scheme.close());
  await scheme.open();
  expect(await scheme.settle(encodeAttempt(stage.payment()))).toMatchObject({ success: false });
  await scheme.close();
  expect(stage.sandbox.calls.counts()['sendTransaction'] ?? 0).toBe(0);
});
