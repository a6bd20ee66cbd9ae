import { HTTPFacilitatorClient } from '@x402/core/server';
import { withBazaar } from '@x402/extensions/bazaar';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bearer, makeKey, storeInFile } from '../callers/stores.ts';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { requestFor, requirementsFor } from '../support/payments.ts';
import { stockTransfer } from '../support/paymentsStock.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';
import { openShop } from './bazaarShop.ts';
import { holdAnswersOf } from './stockAnswers.ts';

let sandbox: TestSandbox;
let url: string;
beforeAll(async () => void (sandbox = await openSandbox()));
afterAll(() => sandbox.close());
holdAnswersOf(() => url);

/** Opens a service that needs keys everywhere, until the test ends. Returns what a stock client shows to it. */
async function openClosed() {
  const store = storeInFile();
  const { text } = await makeKey(store);
  const service = await openFacilitator({
    rpcUrl: sandbox.url,
    submitters: [sandbox.submitter()],
    ...store.options,
    callers: { needKey: true, discoveryNeedsKey: true },
  });
  onTestFinished(() => service.close());
  url = service.url;
  const headers = bearer(text);
  return {
    createAuthHeaders: async () => ({
      verify: headers,
      settle: headers,
      supported: headers,
      bazaar: headers,
    }),
  };
}

async function stockPayment(): Promise<FacilitatorRequest> {
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  return requestFor(requirements, await stockTransfer(sandbox.account(), requirements, sandbox.httpsUrl));
}

/** All that the stock clients ask a facilitator. */
function questionsOf(
  client: HTTPFacilitatorClient,
  { paymentPayload, paymentRequirements }: FacilitatorRequest,
) {
  const terms = [paymentPayload, paymentRequirements] as [never, never];
  const { bazaar } = withBazaar(client).extensions;
  return {
    supported: () => client.getSupported(),
    verify: () => client.verify(...terms),
    settle: () => client.settle(...terms),
    list: () => bazaar.listResources(),
    search: () => bazaar.search({ query: 'weather' }),
  };
}

describe('a service that needs keys everywhere', () => {
  test('answers all questions of the stock clients that show one', async () => {
    const client = new HTTPFacilitatorClient({ ...(await openClosed()), url });
    const questions = questionsOf(client, await stockPayment());
    expect((await questions.supported()).kinds).toMatchObject([{ extra: { requiresKey: true } }]);
    expect(await questions.verify()).toMatchObject({ isValid: true });
    expect(await questions.settle()).toMatchObject({ success: true });
    expect(await questions.list()).toMatchObject({ items: [] });
    expect(await questions.search()).toMatchObject({ resources: [] });
  });

  test.each(['supported', 'verify', 'settle', 'list', 'search'] as const)(
    'refuses stock clients without a key: %s',
    async (question) => {
      await openClosed();
      const questions = questionsOf(new HTTPFacilitatorClient({ url }), await stockPayment());
      await expect(questions[question]()).rejects.toThrow(/svc_unauthorized|401/);
    },
  );

  test('serves a stock seller with a key, and buyers who have none', async () => {
    const auth = await openClosed();
    const shop = await openShop({ sandbox, facilitatorUrl: url, auth }, { 'GET /weather': {} });
    onTestFinished(() => shop.close());
    expect(await shop.buy('/weather')).toMatchObject({ status: 200, receipt: { success: true } });
  });
});
