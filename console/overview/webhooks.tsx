import { useState } from 'preact/hooks';
import type { Api, DeadLetter, DeadLetterPage, Overview } from '../parts/api.ts';
import { Fact } from '../parts/fact.tsx';
import { Found, type FoundWords } from '../parts/found.tsx';
import { shownCount } from '../parts/numbers.ts';
import { usePages, type Source } from '../parts/pages.ts';
import { Section } from '../parts/section.tsx';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Age, Short, Text, Time } from '../parts/text.tsx';
import { storyAddress } from '../settlements/filters.ts';

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

interface WebhooksProps {
  api: Api;
  webhooks: NonNullable<Overview['webhooks']>;
}

/** Shows how far the delivery of events is, and the dead letters. */
export function Webhooks({ api, webhooks: { pending, oldestAt, dead, lastFailure } }: WebhooksProps) {
  return (
    <Section title="Webhooks">
      <dl class="facts">
        <Fact name="Pending">
          {shownCount(pending)}
          {oldestAt !== undefined && (
            <>
              , the oldest for <Age at={oldestAt} />
            </>
          )}
        </Fact>
        <Fact name="Dead letters">{dead === 0 ? 'none' : <State level="bad" word={shownCount(dead)} />}</Fact>
        <Fact name="Last failure">
          {lastFailure === undefined ? (
            'none since the start'
          ) : (
            <>
              <Text text={lastFailure.text} /> (<Age at={lastFailure.at} /> ago)
            </>
          )}
        </Fact>
      </dl>
      {dead > 0 && <DeadLetters api={api} dead={dead} />}
    </Section>
  );
}

function DeadLetters({ api, dead }: { api: Api; dead: number }) {
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
              <SendAgain api={api} id={id} />
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

/** The letter leaves the table once the overview no longer counts it. */
function SendAgain({ api, id }: { api: Api; id: string }) {
  const [state, setState] = useState<'asked' | 'waiting'>();
  const [problem, setProblem] = useState<string>();
  async function send(): Promise<void> {
    setState('asked');
    setProblem(undefined);
    try {
      await api.post(`/webhooks/dead-letters/${encodeURIComponent(id)}/retry`);
      setState('waiting');
    } catch (error) {
      setProblem((error as Error).message);
      setState(undefined);
    }
  }
  return (
    <>
      <button
        type="button"
        aria-disabled={state !== undefined}
        onClick={() => state === undefined && void send()}
      >
        {state === 'waiting' ? '✓ pending again' : 'Send again'}
        <span class="unseen"> {id}</span>
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}
