import type { Act } from '../parts/api.ts';
import { Table } from '../parts/table.tsx';
import { Short, Text, Time } from '../parts/text.tsx';
import { listingAddress } from './filters.ts';

/** Lists the acts on listings and sellers. */
export function Acts({ label, acts }: { label: string; acts: readonly Act[] }) {
  return (
    <Table
      label={label}
      columns={[{ name: 'When' }, { name: 'Act' }, { name: 'Reason' }, { name: 'To' }, { name: 'Who' }]}
    >
      {acts.map(({ id, at, action, subject, listing, reason, actor, source }) => (
        <tr key={id}>
          <td>
            <Time at={at} />
          </td>
          <td>{action}</td>
          <td class="wrapped">
            <Text text={reason} />
          </td>
          <td class="clipped resource">
            {listing === undefined ? (
              <Subject text={subject} />
            ) : (
              <a href={listingAddress(listing)}>
                <Text text={subject} />
              </a>
            )}
          </td>
          <td class="clipped">
            <Text text={actor} />
            {source === 'terminal' && ' (terminal)'}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const ADDRESS = /^[GCMW][A-Z2-7]{55,68}$/;

/** Shows an origin, or the ends of a recipient's address. */
export function Subject({ text }: { text: string }) {
  return ADDRESS.test(text) ? <Short text={text} name={text} /> : <Text text={text} />;
}
