import type { ComponentChildren } from 'preact';
import { BUDGET_WATCH } from '../health.ts';
import type { Overview } from '../parts/api.ts';
import { counted, shownCount, shownXlm } from '../parts/numbers.ts';
import { age } from '../parts/time.ts';

/** Shows the numbers that matter most. */
export function Glance({ overview }: { overview: Overview }) {
  const { ledger, inFlight, waiting, fees, catalog, ledgers } = overview;
  const settled = ledgers.reduce((sum, one) => sum + one.settled, 0);
  const failed = ledgers.reduce((sum, one) => sum + one.failed, 0);
  return (
    <dl class="glance" aria-label="At a glance">
      <Number name="Ledger" value={shownCount(ledger.latest)}>
        {ledger.lagSeconds === undefined ? 'none seen yet' : `seen ${age(ledger.lagSeconds * 1000)} ago`}
      </Number>
      <Number name="Settled" value={shownCount(settled)}>
        in {counted(ledgers.length, 'ledger')},{' '}
        {failed === 0 ? 'none failed' : `✕ ${shownCount(failed)} failed`}
      </Number>
      <Number name="In flight" value={shownCount(inFlight)}>
        sent, outcome open
      </Number>
      <Number name="Waiting" value={shownCount(waiting.payments)}>
        {waiting.payments === 0
          ? 'for a channel account'
          : `the longest for ${age(waiting.oldestSeconds * 1000)}`}
      </Number>
      <Number name="Fees today (XLM)" value={shownXlm(fees.todayStroops)}>
        <Budget fees={fees} />
      </Number>
      <Number name="Listings" value={catalog.listings === undefined ? '–' : shownCount(catalog.listings)}>
        in the catalog
      </Number>
    </dl>
  );
}

function Number({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="value">{value}</span>
        <span class="note">{children}</span>
      </dd>
    </div>
  );
}

function Budget({ fees: { todayStroops, budgetStroops, anonymous } }: { fees: Overview['fees'] }) {
  return (
    <>
      {budgetStroops === undefined ? (
        'no budget is set'
      ) : (
        <Spent name="the budget" {...{ todayStroops, budgetStroops }} />
      )}
      {anonymous && (
        <>
          <br />
          without a key: <Spent name="the budget of callers without a key" {...anonymous} />
        </>
      )}
    </>
  );
}

interface SpentProps {
  name: string;
  todayStroops: number;
  budgetStroops: number;
}

function Spent({ name, todayStroops, budgetStroops }: SpentProps) {
  return (
    <>
      {Math.floor((todayStroops / budgetStroops) * 100)} % of {shownXlm(budgetStroops)}
      <meter
        aria-label={`Part of ${name} that is spent`}
        max={budgetStroops}
        high={budgetStroops * BUDGET_WATCH}
        optimum={0}
        value={todayStroops}
      />
    </>
  );
}
