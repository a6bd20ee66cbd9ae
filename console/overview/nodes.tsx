import type { Overview } from '../parts/api.ts';
import { Section } from '../parts/section.tsx';
import { State, type Level } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Text } from '../parts/text.tsx';
import { age } from '../parts/time.ts';

type Node = Overview['nodes'][number];

const STATES: Readonly<Record<Node['state'], { level: Level; text: string }>> = {
  sound: { level: 'good', text: 'It answers.' },
  resting: { level: 'bad', text: 'It failed several times in a row, and is asked last.' },
  stale: { level: 'bad', text: 'Its ledgers do not advance, although others have closed.' },
  foreign: { level: 'bad', text: 'It belongs to another network, and is not asked.' },
  unknown: { level: 'idle', text: 'It has not been asked yet.' },
};

/** Shows the RPC nodes. */
export function Nodes({ nodes }: { nodes: Overview['nodes'] }) {
  return (
    <Section title="RPC nodes">
      <Table
        label="RPC nodes"
        columns={[
          { name: 'State' },
          { name: 'Node' },
          { name: 'Ledger', isNumber: true },
          { name: 'Last answer' },
        ]}
      >
        {nodes.map(({ rpc, state, latestLedger, heardSecondsAgo }) => (
          <tr key={rpc}>
            <td>
              <State level={STATES[state].level} word={state} title={STATES[state].text} />
            </td>
            <td class="clipped">
              <Text text={rpc} />
            </td>
            <td class="number">{latestLedger ?? '–'}</td>
            <td>{heardSecondsAgo === undefined ? 'never' : `${age(heardSecondsAgo * 1000)} ago`}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
