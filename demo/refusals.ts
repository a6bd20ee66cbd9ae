/** Three payments that must not go through, sent to the facilitator without a seller in between. */
import { forgeSignature } from './authorization.ts';
import { balancesOf, ROLES } from './cast.ts';
import { claim } from './claim.ts';
import type { Stage } from './stage.ts';
import type { PaidStory, SentPayment } from './story.ts';
import { bad, fact, good, line, paragraph, step } from './terminal.ts';

const SIMULATION_FAILED = 'invalid_exact_stellar_payload_simulation_failed';
const WRONG_AMOUNT = 'invalid_exact_stellar_payload_wrong_amount';

/** What verify and settle answer, as far as it is told here. */
interface Answer {
  isValid?: boolean;
  success?: boolean;
  invalidReason?: string;
  invalidMessage?: string;
  errorReason?: string;
  errorMessage?: string;
  extra?: { transaction?: string };
}

interface Expected {
  code: string;
  /** A part of the text that explains the code. */
  meaning: string;
  /** The hash that is named, if one is. */
  transaction?: string;
}

/** `paid` is a payment that was settled. Claims that each attempt is refused with its code, and nothing moves. */
export async function tellRefusals(stage: Stage, { payment: paid, transaction }: PaidStory): Promise<void> {
  const { buyer, network, cast, facilitator } = stage;
  const { paymentRequirements } = paid;
  const before = balancesOf(network, cast);
  step(11, 'What the facilitator refuses');

  line('The same payment a second time; its authorization is spent:');
  const replayed = { code: SIMULATION_FAILED, meaning: 'is already used', transaction };
  await expectRefusal(facilitator.url, '/verify', paid, replayed);
  await expectRefusal(facilitator.url, '/settle', paid, replayed);

  line('A payment of one base unit less than the price, correctly signed:');
  const amount = String(BigInt(paymentRequirements.amount) - 1n);
  const cheap = await buyer.sign({ ...paymentRequirements, amount });
  const underpaid = { ...cheap, accepted: paymentRequirements };
  await expectRefusal(
    facilitator.url,
    '/verify',
    { paymentPayload: underpaid, paymentRequirements },
    { code: WRONG_AMOUNT, meaning: 'its amount is not' },
  );

  line('A payment of the right amount, with one bit of its signature changed:');
  const forged = forgeSignature(await buyer.sign(paymentRequirements));
  await expectRefusal(
    facilitator.url,
    '/verify',
    { paymentPayload: forged, paymentRequirements },
    { code: SIMULATION_FAILED, meaning: 'a signature is missing or wrong' },
  );

  const after = balancesOf(network, cast);
  const same = ROLES.every(
    (role) => after[role].usdc === before[role].usdc && after[role].stroops === before[role].stroops,
  );
  claim(same, 'what is refused moves nothing');
  line(good('Checked: no balance has changed.'));
}

async function expectRefusal(
  facilitatorUrl: string,
  path: '/verify' | '/settle',
  payment: SentPayment,
  { code, meaning, transaction }: Expected,
): Promise<void> {
  const response = await fetch(facilitatorUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, ...payment }),
  });
  const answer = (await response.json()) as Answer;
  const { isValid, success, extra } = answer;
  const answered = path === '/verify' ? `isValid ${isValid}` : `success ${success}`;
  const reason = answer.invalidReason ?? answer.errorReason ?? 'no code';
  const message = answer.invalidMessage ?? answer.errorMessage ?? 'no text';
  fact(`POST ${path}`, `${answered}, ${bad(reason)}`);
  paragraph('meaning', message);
  const refused = path === '/verify' ? isValid === false : success === false;
  claim(refused && reason === code, `${path} refuses it with ${code}`);
  claim(message.includes(meaning), `${path} says that ${meaning}`);
  claim(extra?.transaction === transaction, `${path} names the transaction that settled it, if one did`);
}
