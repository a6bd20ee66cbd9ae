import type { Api, FailingEvent, FailingEvents as Answer } from '../parts/api.ts';
import { shownCount } from '../parts/numbers.ts';
import { usePages, type Source } from '../parts/pages.ts';
import { Table } from '../parts/table.tsx';
import { Short, Text, Time } from '../parts/text.tsx';
import { storyAddress } from '../settlements/filters.ts';
import { EventButton } from './eventButton.tsx';

/** The answer holds only the oldest events. Others follow when those are given up or delivered. */
const FAILING: Source<FailingEvent> = {
  path: '/webhooks/failing',
  from: 'cursor',
  read: ({ events }: Answer) => ({ rows: events, next: undefined }),
};
const ALL = {};

/** Lists the events that the receiver does not accept. Reads them again when `pulse` changes. */
export function FailingEvents({ api, pulse }: { api: Api; pulse: string }) {
  const { rows, problem } = usePages(api, FAILING, ALL, pulse);
  if (problem !== undefined)
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  if (rows.length === 0) return null;
  return (
    <>
      <p class="note">Each event that fails holds up the later events of its recipient.</p>
      <Table
        label="Failing events"
        columns={[
          { name: 'Next attempt' },
          { name: 'Settlement' },
          { name: 'Action' },
          { name: 'Attempts', isNumber: true },
          { name: 'Failure' },
        ]}
      >
        {rows.map(({ id, settlement: { hash }, attempts, failure, dueAt }) => (
          <tr key={id}>
            <td>
              <Time at={dueAt} />
            </td>
            <td>
              <a href={storyAddress(hash)}>
                <Short text={hash} />
              </a>
            </td>
            <td>
              <EventButton
                id={id}
                label="Give up"
                done="given up"
                carryOut={() => api.post(`/webhooks/failing/${encodeURIComponent(id)}/give-up`)}
              />
            </td>
            <td class="number">{shownCount(attempts)}</td>
            <td class="clipped">
              <Text text={failure} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
