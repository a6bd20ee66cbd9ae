import { configure, SETTINGS } from '../config/config.ts';
import { hiddenTexts } from '../config/hiddenTexts.ts';
import { findMisspelled, misspelledText } from '../config/misspelled.ts';
import type { Reply } from '../http/refusal.ts';
import { createLog } from '../log/log.ts';
import { openPortless } from '../service/portless.ts';
import type {
  Facilitator,
  FacilitatorSettings,
  SettleResponse,
  SupportedResponse,
  VerifyResponse,
} from './index.ts';

/** See `createFacilitator`. */
export async function openInProcess(settings: FacilitatorSettings): Promise<Facilitator> {
  const configured = configure(settings);
  if ('problems' in configured)
    throw new Error(configured.problems.map(({ variable, text }) => `${variable} ${text}`).join('\n'));
  const { config, secrets } = configured;
  const log = createLog(hiddenTexts(config, secrets), process.stdout, config.log?.level);
  for (const one of findMisspelled(settings, SETTINGS))
    log.warn({ variable: one.variable }, misspelledText(one));
  const { ask, close } = await openPortless(config, secrets, log);
  let closed: Promise<void> | undefined;
  const payment = (paymentPayload: object, paymentRequirements: object): object => ({
    paymentPayload,
    paymentRequirements,
  });
  return {
    async verify(...terms) {
      return (await ask('verifyPayment', payment(...terms))).body as VerifyResponse;
    },
    async settle(paymentPayload, paymentRequirements, { idempotencyKey } = {}) {
      const body = payment(paymentPayload, paymentRequirements);
      return settleResponseOf(await ask('settlePayment', body, idempotencyKey));
    },
    async getSupported() {
      return (await ask('getSupported')).body as SupportedResponse;
    },
    close: () => (closed ??= close()),
  };
}

/** Adds the header that the stock client over HTTP would read. */
function settleResponseOf({ body, headers }: Reply): SettleResponse {
  const encoded = headers?.['EXTENSION-RESPONSES'];
  if (encoded === undefined) return body as SettleResponse;
  const extensionResponses = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Record<string, unknown>;
  return { ...(body as SettleResponse), extensionResponses };
}
