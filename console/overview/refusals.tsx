import type { Overview } from '../parts/api.ts';
import { shownCount } from '../parts/numbers.ts';
import { Section } from '../parts/section.tsx';
import { Table } from '../parts/table.tsx';
import { Text } from '../parts/text.tsx';

/** Shows how often the service answered with each code, the most frequent first. */
export function Refusals({ refusals }: { refusals: Overview['refusals'] }) {
  const sorted = refusals.toSorted((a, b) => b.count - a.count);
  return (
    <Section title="Refusals" note="Since the start">
      {refusals.length === 0 ? (
        <p class="empty">Nothing was refused.</p>
      ) : (
        <Table
          label="Refusals"
          columns={[{ name: 'Times', isNumber: true }, { name: 'Code' }, { name: 'Operation' }]}
        >
          {sorted.map(({ operation, code, count }) => (
            <tr key={`${operation} ${code}`}>
              <td class="number">{shownCount(count)}</td>
              <td class="code">
                <Text text={code} />
              </td>
              <td>
                <Text text={operation} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
