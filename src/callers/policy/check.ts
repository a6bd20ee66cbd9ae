/** Asks the operator's own check about a payment. */
import { randomUUID } from 'node:crypto';
import type { PolicyCode, Refusal } from '../../contract/index.ts';
import type { AskedFor, PaymentFacts } from '../../scheme/index.ts';
import { signatureHeaders } from '../../net/signature.ts';
import { createTransport, type Transport } from '../../stellar/rpc/transport.ts';
import { createCallerTurns } from './callerTurns.ts';
import { CHECK_LIMITS } from './limits.ts';
import type { CheckSettings } from './rules.ts';

export interface Check {
  /** Never rejects. */
  ask(payment: PaymentFacts, asked: AskedFor): Promise<Refusal<PolicyCode> | undefined>;
  /** Cuts off the calls that are under way. */
  close(): Promise<void>;
}

export interface CheckDeps {
  settings: CheckSettings;
  /** Signs the calls; see signatureHeaders. */
  secret: string;
  network: string;
  /** Called for each refusal, with the reason that the check gives, if any. */
  onRefused: (payment: PaymentFacts, reason: string | undefined) => void;
  /** Called for each call without a proper answer. */
  onSilence: (fault: unknown) => void;
}

const PURPOSES = { verify: 'verifying', settle: 'settling' } as const;
const MAX_REASON_CHARS = 200;

export function createCheck(deps: CheckDeps): Check {
  const { settings, onRefused, onSilence } = deps;
  const transport = createTransport(new URL(settings.url), CHECK_LIMITS, settings.timeoutMs);
  const newTurns = () =>
    createCallerTurns({
      atOnce: CHECK_LIMITS.maxConnections,
      waiting: CHECK_LIMITS.maxWaitingCalls,
      waitMs: settings.timeoutMs,
    });
  const turns = { verify: newTurns(), settle: newTurns() };
  return {
    async ask(payment, asked) {
      try {
        const { accept, reason } = await turns[asked.operation].run(asked.sender ?? '', () =>
          answerOf(transport, deps, payment, asked),
        );
        if (accept) return undefined;
        onRefused(payment, reason);
        return {
          code: 'svc_policy_check_refused',
          message: 'The operator of this facilitator refuses this payment.',
        };
      } catch (fault) {
        onSilence(fault);
        return settings.ifSilent === 'accept' ? undefined : unavailable;
      }
    },
    close: () => transport.close(),
  };
}

const unavailable: Refusal<PolicyCode> = {
  code: 'svc_policy_check_unavailable',
  message: "The check of this facilitator's operator did not answer; try again later.",
};

/** Throws unless there is a proper answer in time. */
async function answerOf(
  transport: Transport,
  { secret, network }: CheckDeps,
  { payer, payTo, asset, amount }: PaymentFacts,
  { operation, keyId }: AskedFor,
): Promise<{ accept: boolean; reason: string | undefined }> {
  const time = new Date();
  const who = { payer: payer ?? null, payTo, keyId: keyId ?? null };
  const body = JSON.stringify({ operation, network, asset, amount: String(amount), ...who, time });
  const message = { id: `msg_${randomUUID()}`, body, time };
  const answer = await transport.post(PURPOSES[operation], body, signatureHeaders(secret, message));
  const { accept, reason } = (answer ?? {}) as { accept?: unknown; reason?: unknown };
  if (typeof accept !== 'boolean') throw new Error('the answer has no accept that is true or false');
  return { accept, reason: typeof reason === 'string' ? cleaned(reason) : undefined };
}

/** Returns a text that is safe to show in a terminal, too. */
const cleaned = (text: string): string =>
  text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_CHARS);
