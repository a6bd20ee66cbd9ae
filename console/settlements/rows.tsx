import type { Settlement } from '../parts/api.ts';
import { shownAmount, shownXlm } from '../parts/numbers.ts';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Age, Resource, Short, Text, Time } from '../parts/text.tsx';
import { storyAddress } from './filters.ts';
import { STATUSES } from './words.ts';

interface RowsProps {
  label: string;
  settlements: readonly Settlement[];
}

/** Shows settlements in a table. The hash of each links to its story. */
export function Rows({ label, settlements }: RowsProps) {
  return (
    <Table
      label={label}
      columns={[
        { name: 'Sent' },
        { name: 'Status' },
        { name: 'Settlement' },
        { name: 'Amount', isNumber: true },
        { name: 'Payer' },
        { name: 'Recipient' },
        { name: 'Resource or code' },
        { name: 'Fee (XLM)', isNumber: true },
      ]}
    >
      {settlements.map((one) => (
        <Row key={one.hash} settlement={one} />
      ))}
    </Table>
  );
}

function Row({ settlement }: { settlement: Settlement }) {
  const { hash, status, payer, payTo, amount, asset, resource, code, sentAt, feeStroops } = settlement;
  return (
    <tr>
      <td>
        <Time at={sentAt} />
      </td>
      <td>
        <State level={STATUSES[status].level} word={status} title={STATUSES[status].text} />
        {status === 'pending' && (
          <>
            {' for '}
            <Age at={sentAt} />
          </>
        )}
      </td>
      <td>
        <a href={storyAddress(hash)}>
          <Short text={hash} />
        </a>
      </td>
      <td class="number clipped" title={amount && shownAmount(amount, asset)}>
        {amount === undefined ? '–' : shownAmount(amount, asset)}
      </td>
      <td>
        <Short text={payer} />
      </td>
      <td>{payTo === undefined ? '–' : <Short text={payTo} />}</td>
      <td class="clipped">
        {code !== undefined ? (
          <Text text={code} />
        ) : resource === undefined ? (
          '–'
        ) : (
          <Resource url={resource} />
        )}
      </td>
      <td class="number">{feeStroops === undefined ? '–' : shownXlm(feeStroops)}</td>
    </tr>
  );
}
