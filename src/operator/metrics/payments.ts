import { STATUS, type SchemeObserver } from '../../scheme/index.ts';
import { seconds, type Instruments } from './instruments.ts';

const WAIT_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 65];
const CLOSE_TO_ANSWER_BUCKETS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];

/** Counts transactions, their fees and the waits of settlements. */
export function createPaymentMetrics({ counter, histogram }: Instruments): SchemeObserver {
  const transactions = counter(
    'transactions_total',
    'Transactions that have ended, by outcome. A rejected one is counted again if a ledger takes it after all.',
    ['outcome'],
  );
  const sent = counter('transactions_sent_total', 'Transactions recorded for sending.');
  const bids = counter('fees_bid_stroops_total', 'Stroops bid for transactions: the most they may cost.');
  const charged = counter('fees_charged_stroops_total', 'Stroops that the network charged for transactions.');
  const waits = histogram(
    'account_wait_seconds',
    'How long payments waited for a channel account, if they had to wait.',
    WAIT_BUCKETS,
  );
  const closeToAnswer = histogram(
    'close_to_answer_seconds',
    'Time from the close of the ledger that holds a payment to its answer, by the ledger clock.',
    CLOSE_TO_ANSWER_BUCKETS,
  );
  // rate() misses the first event of a series that starts with it, so each series starts at 0.
  for (const outcome of Object.keys(STATUS)) transactions.inc({ outcome }, 0);
  return {
    waited: (ms) => waits.observe(seconds(ms)),
    sent(bidStroops) {
      sent.inc();
      bids.inc(bidStroops);
    },
    ended(outcome, feeChargedStroops = 0) {
      transactions.inc({ outcome });
      charged.inc(feeChargedStroops);
    },
    settled: (sinceClosedMs) => closeToAnswer.observe(seconds(sinceClosedMs)),
  };
}
