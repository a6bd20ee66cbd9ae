import type { Api, Overview } from '../parts/api.ts';
import { Fact } from '../parts/fact.tsx';
import { shownCount } from '../parts/numbers.ts';
import { Section } from '../parts/section.tsx';
import { State } from '../parts/state.tsx';
import { Age, Text } from '../parts/text.tsx';
import { DeadLetters } from './deadLetters.tsx';
import { FailingEvents } from './failingEvents.tsx';

interface WebhooksProps {
  api: Api;
  webhooks: NonNullable<Overview['webhooks']>;
}

/** Shows how far the delivery of events is, the events that fail, and the dead letters. */
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
            'none'
          ) : (
            <>
              <Text text={lastFailure.text} /> (<Age at={lastFailure.at} /> ago)
            </>
          )}
        </Fact>
      </dl>
      {pending > 0 && lastFailure !== undefined && (
        <FailingEvents api={api} pulse={[pending, dead, lastFailure.at].join()} />
      )}
      {dead > 0 && <DeadLetters api={api} dead={dead} />}
    </Section>
  );
}
