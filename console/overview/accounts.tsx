import type { Overview } from '../parts/api.ts';
import { shownBalance, shownXlm } from '../parts/numbers.ts';
import { Section } from '../parts/section.tsx';
import { State, type Level } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Age, Short } from '../parts/text.tsx';

type Account = Overview['accounts'][number];

const STATES: Readonly<Record<Account['state'], { level: Level; text: string }>> = {
  missing: { level: 'bad', text: 'The network has no such account.' },
  low: { level: 'bad', text: 'Its balance is below the floor: fund it.' },
  resting: { level: 'watch', text: 'The network rejected a transaction because of it.' },
  held: { level: 'waiting', text: 'A transaction of an earlier process may still apply.' },
  busy: { level: 'waiting', text: 'It carries a payment.' },
  free: { level: 'good', text: 'It can carry a payment.' },
  paying: { level: 'good', text: 'It pays the fees of all others.' },
  elsewhere: { level: 'idle', text: 'Another instance has it.' },
};
const WORST_FIRST = Object.keys(STATES);

/** Shows the accounts that submit payments, those with a problem first. */
export function Accounts({ accounts }: { accounts: Overview['accounts'] }) {
  const sorted = accounts.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
  return (
    <Section title="Channel accounts" note={countsOf(accounts)}>
      <Table
        label="Channel accounts"
        columns={[
          { name: 'State' },
          { name: 'Account' },
          { name: 'Balance (XLM)', isNumber: true },
          { name: 'Last used' },
        ]}
      >
        {sorted.map(({ address, state, balanceStroops, lastUsedAt }) => (
          <tr key={address}>
            <td>
              <State level={STATES[state].level} word={state} title={STATES[state].text} />
            </td>
            <td>
              <Short text={address} name={`account ${address.slice(0, 6)}`} />
            </td>
            {balanceStroops === undefined ? (
              <td class="number">–</td>
            ) : (
              <td class="number" title={`${shownXlm(balanceStroops)} XLM`}>
                {shownBalance(balanceStroops)}
              </td>
            )}
            <td>
              {lastUsedAt === undefined ? (
                '–'
              ) : (
                <>
                  <Age at={lastUsedAt} /> ago
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

const countsOf = (accounts: readonly Account[]): string =>
  WORST_FIRST.map((state) => [accounts.filter((one) => one.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${state}`)
    .join(', ');
