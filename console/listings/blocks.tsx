import type { Api, Block } from '../parts/api.ts';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { Subject } from './acts.tsx';
import { BlockButton } from './acting.tsx';
import { addressOf } from './filters.ts';

interface BlocksProps {
  api: Api;
  blocks: readonly Block[];
  onUnblocked(block: Block): void;
}

/** Lists the blocks. */
export function Blocks({ api, blocks, onUnblocked }: BlocksProps) {
  if (blocks.length === 0)
    return (
      <p class="empty">Nobody is blocked. To block an origin or a recipient, open one of its listings.</p>
    );
  return (
    <Table
      label="Blocks"
      columns={[{ name: 'Blocked' }, { name: 'Action' }, { name: 'Listings' }, { name: 'Since' }]}
    >
      {blocks.map((block) => (
        <tr key={`${block.kind} ${block.value}`}>
          <td class="clipped resource">
            <Subject text={block.value} />
          </td>
          <td>
            <BlockButton api={api} action="unblock" target={block} onDone={() => onUnblocked(block)} />
          </td>
          <td>
            <a href={addressOf({ [block.kind === 'origin' ? 'origin' : 'payTo']: block.value })}>show</a>
          </td>
          <td>
            <Time at={block.since} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
