import type { Overview } from '../parts/api.ts';
import { useNow } from '../parts/clock.tsx';
import { Chart } from '../parts/chart.tsx';
import { counted } from '../parts/numbers.ts';
import { Section } from '../parts/section.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { localTime } from '../parts/time.ts';

/** Shows the payments in the latest ledgers, as a chart and as a table. */
export function PaymentsPerLedger({ ledgers, isDark }: { ledgers: Overview['ledgers']; isDark: boolean }) {
  const now = useNow();
  const oldestFirst = ledgers.toReversed();
  const settled = oldestFirst.map((one) => one.settled);
  const failed = oldestFirst.map((one) => one.failed);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  return (
    <Section title="Payments per ledger" note="The latest ledgers with payments" class="wide">
      {ledgers.length === 0 ? (
        <p class="empty">No ledger holds a payment yet.</p>
      ) : (
        <>
          <Chart
            kind="bars"
            summary={`The latest ${counted(ledgers.length, 'ledger')} with payments: ${sum(settled)} settled, ${sum(failed)} failed, at most ${Math.max(...settled)} settled in one. The table below has each.`}
            names={oldestFirst.map(({ ledger, closedAt }) => ({
              short: localTime(closedAt, now).slice(-8),
              long: `ledger ${ledger}, ${localTime(closedAt, now)}`,
            }))}
            series={[
              { label: 'settled', class: 'good', values: settled },
              { label: 'failed', class: 'bad', values: failed },
            ]}
            isDark={isDark}
          />
          <details>
            <summary>As a table</summary>
            <Table
              label="Payments per ledger"
              columns={[
                { name: 'Ledger', isNumber: true },
                { name: 'Closed' },
                { name: 'Settled', isNumber: true },
                { name: 'Failed', isNumber: true },
              ]}
            >
              {ledgers.map((one) => (
                <tr key={one.ledger}>
                  <td class="number">{one.ledger}</td>
                  <td>
                    <Time at={one.closedAt} />
                  </td>
                  <td class="number">{one.settled}</td>
                  <td class="number">{one.failed}</td>
                </tr>
              ))}
            </Table>
          </details>
        </>
      )}
    </Section>
  );
}
