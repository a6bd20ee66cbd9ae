import { amountText } from '../amountText.ts';
import { Failure } from '../codes.ts';
import type { AgentLimits } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { SpendPolicy, Terms } from '../wallet/index.ts';
import { quoted } from '../words.ts';
import type { Patience } from './waiting.ts';

/** Asks the person behind the host a question, for as long as `patience` lasts. Never rejects. */
export type AskPerson = (question: Question, patience: Patience) => Promise<PersonAnswer>;

export interface Question {
  readonly text: string;
  /** The call and the terms, exactly. An answer to another `about` says nothing about this. */
  readonly about: string;
}

/**
 * `cannotAsk`: the host does not offer to ask. `asked`: the answer comes with the same call made again. `tooMany`: no
 * answer could count now.
 */
export type PersonAnswer = 'approved' | 'declined' | 'noAnswer' | 'cannotAsk' | 'asked' | 'tooMany';

export interface ApprovalDeps {
  policy: SpendPolicy;
  /** A payment of more base units than this needs a person's approval; undefined for none. */
  approveAbove: bigint | undefined;
  limits: Pick<AgentLimits, 'minToPayMs'>;
}

/** A payment to approve. */
export interface Purpose {
  /** Names the call: the same for the same arguments. */
  readonly call: string;
  readonly terms: Terms;
  readonly seller: TargetName;
  readonly askPerson: AskPerson;
}

/** Returns why a payment is not approved; undefined if it is, or if it needs no approval. */
export async function approve(
  { policy, approveAbove, limits }: ApprovalDeps,
  { call, terms, seller, askPerson }: Purpose,
  { remainingMs, signal }: Patience,
): Promise<Failure | undefined> {
  const { amount, asset, payTo } = terms;
  if (approveAbove === undefined || amount <= approveAbove) return undefined;
  const price = amountText(amount, asset);
  const { origin, hostname } = new URL(seller.resource);
  const left = amountText(policy.left(asset, hostname), asset);
  const text = `Pay ${price} to ${payTo} for ${origin}? ${left} of the budget are left before this payment.${staleIn(seller)}${toolIn(seller)}`;
  // An approval that comes later could not be acted upon.
  const timely = { remainingMs: () => remainingMs() - limits.minToPayMs, signal };
  const answer = await askPerson({ text, about: aboutOf(call, terms, seller) }, timely);
  if (answer === 'approved') return undefined;
  return new Failure(
    'svc_mcp_payment_not_approved',
    `The price is ${price}. More than ${approveAbove} base units need the approval of a person, and ${WHY[answer]}. Nothing was signed and nothing was paid.`,
  );
}

const WHY: Record<Exclude<PersonAnswer, 'approved'>, string> = {
  declined: 'the person declined',
  noAnswer: 'nobody gave an answer in time',
  cannotAsk: 'the host cannot ask one (it does not offer elicitation)',
  asked: 'the person has to be asked first',
  tooMany: 'persons have answered too many questions in the last minutes to be asked now',
};

function aboutOf(call: string, { asset, amount, payTo }: Terms, seller: TargetName): string {
  const { type, resource, toolName = null, stale } = seller;
  return JSON.stringify([call, type, resource, toolName, stale?.text ?? null, asset, String(amount), payTo]);
}

const staleIn = ({ stale }: TargetName): string => (stale === undefined ? '' : ` ${stale.text}`);

/**
 * Returns a sentence that names the tool, if it is one. It comes last: names are the seller's words, which may look like a
 * sentence about another seller. Paths are not shown at all.
 */
const toolIn = ({ toolName }: TargetName): string =>
  toolName === undefined ? '' : ` The seller calls its tool ${quoted(toolName)}.`;
