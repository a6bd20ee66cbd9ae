import type { KeptListing, StaleMark } from '../parts/api.ts';
import { State, type Level } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Resource, Short, Text, Time } from '../parts/text.tsx';
import { listingAddress } from './filters.ts';

const FOUND: Readonly<Record<StaleMark['reason'], string>> = {
  no_answer: 'it did not answer',
  no_402: 'it did not ask for a payment of x402 version 2',
  other_terms: 'it asked for other terms than those listed',
};

/** Says why a listing is stale. */
export const staleText = ({ reason }: StaleMark): string => `When it was last checked, ${FOUND[reason]}.`;

/** Says whether lists and searches show a listing, and if not, why; and whether it is stale. */
export function stateOf({ isHidden, blockedBy, stale }: KeptListing): {
  level: Level;
  word: string;
  text: string;
} {
  const blocked = blockedBy.map(({ kind }) => kind).join(' and ');
  if (blocked !== '')
    return {
      level: 'bad',
      word: isHidden ? 'blocked, hidden' : 'blocked',
      text: `Its ${blocked} ${blockedBy.length > 1 ? 'are' : 'is'} blocked${isHidden ? ', and it is hidden itself' : ''}: lists and searches leave it out.`,
    };
  if (isHidden)
    return {
      level: 'watch',
      word: 'hidden',
      text: 'It is hidden: lists and searches leave it out.',
    };
  if (stale !== undefined)
    return {
      level: 'watch',
      word: 'shown, stale',
      text: `Lists and searches show it. ${staleText(stale)}`,
    };
  return { level: 'good', word: 'shown', text: 'Lists and searches show it.' };
}

/** Shows listings in a table. The number of each links to its page. */
export function ListingRows({ listings }: { listings: readonly KeptListing[] }) {
  return (
    <Table
      label="Listings"
      columns={[
        { name: 'Listing', isNumber: true },
        { name: 'State' },
        { name: 'Resource' },
        { name: 'Type' },
        { name: 'Service' },
        { name: 'Recipient' },
        { name: 'Last payment' },
      ]}
    >
      {listings.map((one) => (
        <Row key={one.id} listing={one} />
      ))}
    </Table>
  );
}

function Row({ listing }: { listing: KeptListing }) {
  const { id, resource, type, toolName, serviceName, payTo, lastUpdated } = listing;
  const { level, word, text } = stateOf(listing);
  return (
    <tr>
      <td class="number">
        <a href={listingAddress(id)}>{id}</a>
      </td>
      <td>
        <State level={level} word={word} title={text} />
      </td>
      <td class="clipped resource">
        <Resource url={resource} />
      </td>
      <td class="clipped">
        <Text text={toolName === undefined ? type : `${type}: ${toolName}`} />
      </td>
      <td class="clipped">{serviceName === undefined ? '–' : <Text text={serviceName} />}</td>
      <td>
        <Short text={payTo} />
      </td>
      <td>{lastUpdated === undefined ? '–' : <Time at={lastUpdated} />}</td>
    </tr>
  );
}
