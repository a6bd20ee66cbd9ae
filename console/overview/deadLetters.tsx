import type { Api, DeadLetter, DeadLetterPage } from '../parts/api.ts';
import { Found, type FoundWords } from '../parts/found.tsx';
import { shownCount } from '../parts/numbers.ts';
import { usePages, type Source } from '../parts/pages.ts';
import { Table } from '../parts/table.tsx';
import { Short, Text, Time } from '../parts/text.tsx';
import { storyAddress } from '../settlements/filters.ts';
import { EventButton } from './eventButton.tsx';

const DEAD_LETTERS: Source<DeadLetter> = {
  path: '/webhooks/dead-letters',
  from: 'cursor',
  read: ({ letters, next }: DeadLetterPage) => ({ rows: letters, next }),
};
const ALL = {};
const WORDS: FoundWords = {
  nothing: 'No dead letter is left.',
  nothingYet: 'None among the latest.',
  more: 'Show older',
  further: 'Search further back',
};

/** Lists the dead letters. One leaves the table once the overview no longer counts it. */
export function DeadLetters({ api, dead }: { api: Api; dead: number }) {
  const letters = usePages(api, DEAD_LETTERS, ALL, String(dead));
  return (
    <Found pages={letters} count={letters.rows.length} words={WORDS}>
      <Table
        label="Dead letters"
        columns={[
          { name: 'Given up' },
          { name: 'Settlement' },
          { name: 'Action' },
          { name: 'Attempts', isNumber: true },
          { name: 'Failure' },
        ]}
      >
        {letters.rows.map(({ id, settlement: { hash }, attempts, failure, givenUpAt }) => (
          <tr key={`${id} ${givenUpAt}`}>
            <td>
              <Time at={givenUpAt} />
            </td>
            <td>
              <a href={storyAddress(hash)}>
                <Short text={hash} />
              </a>
            </td>
            <td>
              <Actions api={api} id={id} />
            </td>
            <td class="number">{shownCount(attempts)}</td>
            <td class="clipped">
              <Text text={failure} />
            </td>
          </tr>
        ))}
      </Table>
    </Found>
  );
}

function Actions({ api, id }: { api: Api; id: string }) {
  const path = `/webhooks/dead-letters/${encodeURIComponent(id)}`;
  return (
    <>
      <EventButton
        id={id}
        label="Send again"
        done="pending again"
        carryOut={() => api.post(`${path}/retry`)}
      />{' '}
      <EventButton
        id={id}
        label="Discard"
        done="discarded"
        secondLabel="Discard for good?"
        carryOut={() => api.delete(path)}
      />
    </>
  );
}
