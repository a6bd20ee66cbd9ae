import { expect, test } from 'vitest';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment } = settlementsOn(stage);

/** The reserve, and too little for a fee. */
const RESERVE_STROOPS = 10_010_000n;
const PAYMENTS = 20;

test('a submitter without lumens rests, and costs one payment: the others carry the rest', async () => {
  const broke = stage.sandbox.keyWithoutAccount();
  stage.sandbox.network.createAccount(broke.publicKey(), RESERVE_STROOPS);
  const others = [stage.sandbox.submitter(), stage.sandbox.submitter()];
  const { settle, log } = await stage.open({
    submitters: [broke, ...others],
    parts: { limits: { accountRestMs: 60_000 } },
  });
  const answers = await Promise.all(Array.from({ length: PAYMENTS }, () => settle(newPayment().request)));
  const refused = answers.filter(({ success }) => !success);
  expect(refused).toMatchObject([
    {
      errorReason: 'settle_exact_stellar_transaction_submission_failed',
      errorMessage: expect.stringContaining('txInsufficientBalance'),
    },
  ]);
  expect(log).toContainEqual(
    expect.objectContaining({
      submitter: broke.publicKey(),
      msg: 'the network rejects everything from this submitter',
    }),
  );
});

test('a fee-bump account without lumens is named in the log, and no submitter rests for it', async () => {
  const broke = stage.sandbox.keyWithoutAccount();
  stage.sandbox.network.createAccount(broke.publicKey(), RESERVE_STROOPS);
  const submitters = [stage.sandbox.submitter(), stage.sandbox.submitter()];
  const { settle, log } = await stage.open({
    submitters,
    feeBump: broke,
    parts: { limits: { accountRestMs: 60_000 } },
  });
  for (let payments = 0; payments < 3; payments++) {
    expect(await settle(newPayment().request)).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_submission_failed',
      errorMessage: expect.stringContaining('txInsufficientBalance'),
    });
  }
  const said = log.filter(({ msg }) => String(msg).startsWith('the network rejects everything from'));
  const fromFeeBump = {
    feeBump: broke.publicKey(),
    msg: 'the network rejects everything from the fee-bump account',
  };
  expect(said).toMatchObject([fromFeeBump, fromFeeBump, fromFeeBump]);
});
