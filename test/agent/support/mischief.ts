/** Everything that sellers do in the test by chance, by name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { encode, FORECAST, sellHonestly, whenPaid, type Behaviour, type Visit } from './seller.ts';
import { sellToolHonestly, whenToolPaid, type ToolBehaviour } from './toolServer.ts';

const receipt = (transaction: string) => ({ success: true, transaction, network: 'stellar:testnet' });
const NO_HASH = 'ab'.repeat(32);
const LATER_MS = 600;

/** Settled long after the answer; also when the payment is too old by then. */
const settleLater = (visit: { settle(): Promise<unknown> }): void => {
  void sleep(LATER_MS, undefined, { ref: false })
    .then(() => visit.settle())
    .catch(() => {});
};

/** The hash of an earlier sale, to whomever. */
let earlierSale = NO_HASH;

export const MISCHIEF: Record<string, Behaviour> = {
  honest: sellHonestly,
  free: (visit) => visit.deliver(),
  'asks again and again': (visit) => visit.askToPay(),
  'delivers without settling': whenPaid((visit) => visit.deliver(FORECAST, receipt(NO_HASH))),
  'delivers without a receipt': whenPaid((visit) => visit.deliver()),
  'delivers with the receipt of another sale': whenPaid((visit) =>
    visit.deliver(FORECAST, receipt(earlierSale)),
  ),
  'delivers, settles later': whenPaid((visit) => {
    visit.deliver(FORECAST, receipt(NO_HASH));
    settleLater(visit);
  }),
  'settles, then cuts': whenPaid(async (visit) => {
    await visit.settle();
    visit.response.destroy();
  }),
  'cuts, then settles': whenPaid((visit) => {
    visit.response.destroy();
    settleLater(visit);
  }),
  'holds, and does nothing': whenPaid(() => {}),
  'holds, then settles': whenPaid(settleLater),
  'cuts and does nothing': whenPaid((visit) => void visit.response.destroy()),
  'settles, then asks again': whenPaid(async (visit) => {
    await visit.settle();
    visit.askToPay();
  }),
  'refuses, then settles': whenPaid((visit) => {
    visit.askToPay({ error: 'invalid_exact_stellar_payload_simulation_failed' });
    settleLater(visit);
  }),
  'settles, then fails': whenPaid(async (visit) => {
    const settled = await visit.settle();
    visit.deliver({ oops: true }, settled, 500);
  }),
  'fails without settling': whenPaid((visit) => visit.deliver({ oops: true }, undefined, 500)),
  'settles twice': whenPaid(async (visit) => {
    const [first] = await Promise.all([visit.settle(), visit.settle()]);
    visit.deliver(FORECAST, first);
  }),
  'settles, and says that it failed': whenPaid(async (visit) => {
    await visit.settle();
    visit.deliver(
      {},
      {
        success: false,
        errorReason: 'settle_exact_stellar_transaction_failed',
        transaction: '',
        network: 'stellar:testnet',
      },
      402,
    );
  }),
  'settles, with a receipt that is none': whenPaid(async (visit) => {
    await visit.settle();
    visit.response.setHeader('PAYMENT-RESPONSE', encode({ success: 'yes' }));
    visit.deliver();
  }),
  'settles, and cuts the body': whenPaid(async (visit) => {
    const settled = await visit.settle();
    if (settled.success) earlierSale = settled.transaction;
    visit.response.setHeader('PAYMENT-RESPONSE', encode(settled));
    visit.response.writeHead(200, { 'content-length': '100' }).write('half');
    await sleep(20);
    visit.response.destroy();
  }),
  'redirects the payment': whenPaid(
    ({ response }: Visit) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  ),
};

export const TOOL_MISCHIEF: Record<string, ToolBehaviour> = {
  honest: sellToolHonestly,
  'delivers without settling': whenToolPaid((visit) => visit.deliver({}, receipt(NO_HASH))),
  'settles, then cuts': whenToolPaid(async (visit) => {
    await visit.settle();
    visit.cut();
    return visit.deliver();
  }),
  'settles, then fails': whenToolPaid(async (visit) => {
    await visit.settle();
    throw new Error('out of order');
  }),
  'settles without a receipt': whenToolPaid(async (visit) => {
    await visit.settle();
    return visit.deliver();
  }),
  'fails after it was paid': whenToolPaid(() => ({ isError: true, content: [{ type: 'text', text: 'no' }] })),
  'refuses, then settles': whenToolPaid((visit) => {
    settleLater(visit);
    return visit.askToPay({ required: { error: 'unexpected_verify_error' } });
  }),
};
