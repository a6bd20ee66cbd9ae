import { useEffect, useState } from 'preact/hooks';
import type { Api, KeptDetail, KeptListing, Item } from '../parts/api.ts';
import { Done } from '../parts/done.tsx';
import { Fact } from '../parts/fact.tsx';
import { useRead } from '../parts/read.ts';
import { Section } from '../parts/section.tsx';
import { State } from '../parts/state.tsx';
import { Full, Resource, Text, Time } from '../parts/text.tsx';
import { addressOf as settlementsOf } from '../settlements/filters.ts';
import { Acting, type ListingAction } from './acting.tsx';
import { Acts } from './acts.tsx';
import { addressOf, originOf } from './filters.ts';
import { staleText, stateOf } from './rows.tsx';

/** Shows a listing, the acts on it, and buttons for further acts. */
export function Detail({ api, id }: { api: Api; id: string }) {
  const { answer, problem, again } = useRead<KeptDetail>(api, `/listings/${encodeURIComponent(id)}`);
  const [done, setDone] = useState<string>();
  const [isRemoved, setRemoved] = useState(false);
  useEffect(() => {
    setDone(undefined);
    setRemoved(false);
  }, [id]);
  function acted(text: string, action: ListingAction | undefined): void {
    setDone(text);
    if (action === 'remove') setRemoved(true);
    else again();
  }
  const shown = isRemoved || problem !== undefined ? undefined : answer;
  return (
    <>
      <p>
        <a href="#/listings">← All listings</a>
      </p>
      <Section title="Listing" class={`outcome ${shown === undefined ? '' : stateOf(shown.listing).level}`}>
        {problem !== undefined ? (
          <p class="problem" role="alert">
            {problem}
          </p>
        ) : shown === undefined ? (
          !isRemoved && <p class="empty">Reading …</p>
        ) : (
          <>
            <Verdict listing={shown.listing} />
            <Acting api={api} listing={shown.listing} onDone={acted} />
          </>
        )}
        <Done text={done} />
      </Section>
      {shown !== undefined && (
        <>
          <Section title="What was done" note="To it, its origin and its recipient, latest first">
            {shown.acts.length === 0 ? (
              <p class="empty">Nothing yet.</p>
            ) : (
              <Acts label="What was done" acts={shown.acts} />
            )}
          </Section>
          <Section title="Facts">
            <Facts {...shown} />
          </Section>
        </>
      )}
    </>
  );
}

function Verdict({ listing }: { listing: KeptListing }) {
  const { level, word, text } = stateOf(listing);
  return (
    <>
      <p class="verdict">
        <State level={level} word={word} />
      </p>
      <p>{text}</p>
      <p class="bounded">
        <Resource url={listing.resource} />
      </p>
    </>
  );
}

function Facts({ listing, item }: KeptDetail) {
  const { id, resource, type, toolName, serviceName, payTo, lastUpdated, stale } = listing;
  const origin = originOf(resource);
  const { description, mimeType, tags = [] } = (item ?? {}) as Item;
  return (
    <>
      <dl class="facts">
        <Fact name="Listing">{id}</Fact>
        <Fact name="Resource">
          <Full text={resource} name="the URL" />
        </Fact>
        <Fact name="Type">
          <Text text={type} />
        </Fact>
        {toolName !== undefined && (
          <Fact name="Tool">
            <Text text={toolName} />
          </Fact>
        )}
        <Fact name="Origin">
          {origin === undefined ? undefined : (
            <>
              <Text text={origin} /> <a href={addressOf({ origin })}>all of this origin</a>
            </>
          )}
        </Fact>
        <Fact name="Recipient">
          <Full text={payTo} name="the recipient" /> <a href={addressOf({ payTo })}>all of this recipient</a>{' '}
          <a href={settlementsOf({ payTo })}>its settlements</a>
        </Fact>
        <Fact name="Service">{serviceName === undefined ? 'not named' : <Text text={serviceName} />}</Fact>
        <Fact name="Description">{description === undefined ? 'none' : <Text text={description} />}</Fact>
        <Fact name="Media type">{mimeType === undefined ? 'not said' : <Text text={mimeType} />}</Fact>
        {tags.length > 0 && (
          <Fact name="Tags">
            <Text text={tags.join(', ')} />
          </Fact>
        )}
        <Fact name="Last payment">{lastUpdated === undefined ? undefined : <Time at={lastUpdated} />}</Fact>
        {stale !== undefined && (
          <Fact name="Stale">
            {staleText(stale)} <Text text={stale.reason} />, since <Time at={stale.since} />
          </Fact>
        )}
      </dl>
      {item === undefined ? (
        <p class="problem">Its row in the catalog is damaged. The next payment for it restores it.</p>
      ) : (
        <details class="more">
          <summary>As the catalog serves it</summary>
          <div class="scrolling item" role="group" aria-label="The item" tabIndex={0}>
            {JSON.stringify(item, undefined, 2)
              .split('\n')
              .map((line) => (
                <div>
                  <Text text={line} />
                </div>
              ))}
          </div>
        </details>
      )}
    </>
  );
}
