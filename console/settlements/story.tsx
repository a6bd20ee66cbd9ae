import { useEffect, useState } from 'preact/hooks';
import { listingAddress, originOf } from '../listings/filters.ts';
import { staleText } from '../listings/rows.tsx';
import { ApiError, withQuery, type Api, type KeptPage, type Settlement } from '../parts/api.ts';
import { Fact } from '../parts/fact.tsx';
import { shownAmount, shownXlm } from '../parts/numbers.ts';
import { useRead } from '../parts/read.ts';
import { Section } from '../parts/section.tsx';
import { State } from '../parts/state.tsx';
import { Age, Full, Resource, Text, Time } from '../parts/text.tsx';
import { duration, preciseTime, utcTime } from '../parts/time.ts';
import { addressOf } from './filters.ts';
import { LISTINGS, STATUSES, stepsOf, type Step } from './words.ts';

const AGAIN_MS = 2_000;

/** Shows one settlement from the request to the webhook. */
export function Story({ api, hash }: { api: Api; hash: string }) {
  const { settlement, problem } = useSettlement(api, hash);
  if (settlement === undefined)
    return (
      <Section title="Settlement">
        <p class={problem === undefined ? 'empty' : 'problem'} role="status">
          {problem ?? 'Reading …'}
        </p>
        <BackLink />
      </Section>
    );
  return (
    <>
      <BackLink />
      <Outcome settlement={settlement} />
      <Section title="What happened when" note={<Total settlement={settlement} />}>
        <Steps settlement={settlement} />
      </Section>
      <Section title="Facts">
        <Facts api={api} settlement={settlement} />
      </Section>
    </>
  );
}

const BackLink = () => (
  <p>
    <a href="#/settlements">← All settlements</a>
  </p>
);

/** Reads a settlement, and reads it again until everything about it is known. */
function useSettlement(api: Api, hash: string) {
  const [settlement, setSettlement] = useState<Settlement>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const left = new AbortController();
    setSettlement(undefined);
    setProblem(undefined);
    async function read(): Promise<void> {
      try {
        const answer = await api.get<Settlement>(`/settlements/${encodeURIComponent(hash)}`, {}, left.signal);
        setSettlement(answer);
        if (!isUnderWay(answer)) return;
      } catch (error) {
        if (left.signal.aborted) return;
        setProblem((error as Error).message);
        if (error instanceof ApiError && error.status < 500) return;
      }
      setTimeout(() => left.signal.aborted || void read(), AGAIN_MS);
    }
    void read();
    return () => left.abort();
  }, [hash]);
  return { settlement, problem };
}

const isUnderWay = ({ status, listing, webhook }: Settlement): boolean =>
  status === 'pending' || listing === 'due' || webhook?.state === 'pending';

function Outcome({ settlement }: { settlement: Settlement }) {
  const { hash, status, code, message, sentAt } = settlement;
  const { level, text } = STATUSES[status];
  return (
    <Section title="Settlement" class={`outcome ${level}`}>
      <p class="verdict">
        <State level={level} word={status} />
        {status === 'pending' && (
          <span>
            sent <Age at={sentAt} /> ago
          </span>
        )}
      </p>
      <p>{text}</p>
      {(code !== undefined || message !== undefined) && (
        <p class="why">
          {message !== undefined && <Text text={message} />}{' '}
          {code !== undefined && (
            <a href={addressOf({ code })} title="Settlements with this code">
              <Text text={code} />
            </a>
          )}
        </p>
      )}
      <Full text={hash} name="the hash" />
    </Section>
  );
}

/** Says when the settlement began, and how long it took. */
function Total({ settlement: { askedAt, sentAt, endedAt } }: { settlement: Settlement }) {
  const start = askedAt ?? sentAt;
  return (
    <>
      <Time at={start} />
      {endedAt !== undefined && `, ${duration(Date.parse(endedAt) - Date.parse(start))} until the outcome`}
    </>
  );
}

function Steps({ settlement }: { settlement: Settlement }) {
  const steps = stepsOf(settlement);
  const longest = Math.max(1, ...steps.map(({ tookMs = 0 }) => tookMs));
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step.name} class={step.at === undefined ? 'open' : undefined}>
          <span class="step-name">{step.name}</span>
          <span class="step-time">{step.at === undefined ? '–' : <StepTime at={step.at} step={step} />}</span>
          <span class="step-took">
            <Took step={step} />
          </span>
          <span class="step-bar">
            {step.tookMs !== undefined && (
              <meter aria-hidden="true" max={longest} value={Math.max(0, step.tookMs)} />
            )}
          </span>
          <span class="note">{step.note}</span>
        </li>
      ))}
    </ol>
  );
}

function StepTime({ at, step }: { at: string; step: Step }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {preciseTime(at, step.isWholeSecond)}
    </time>
  );
}

function Took({ step: { tookMs, isWholeSecond } }: { step: Step }) {
  if (tookMs === undefined) return null;
  if (isWholeSecond && tookMs < 1_000) return <>within a second</>;
  return (
    <>
      {isWholeSecond ? 'about ' : '+ '}
      {duration(Math.max(0, tookMs))}
    </>
  );
}

/** The page says this if the fee is not known. */
const NO_FEE: Readonly<Record<Settlement['status'], string>> = {
  pending: 'not known yet',
  settled: 'not recorded',
  failed: 'not recorded',
  rejected: 'none',
  expired: 'none',
  forgotten: 'not known',
};

/**
 * Links to the listing as it is now, and says if it is stale. The journal does not name it, so it is found by its URL; one
 * with parameters in its path is not found.
 */
function ListingNow({ api, resource, payTo }: { api: Api; resource: string; payTo: string | undefined }) {
  const origin = originOf(resource);
  const path = URL.parse(resource)?.pathname.slice(0, 512);
  const { answer } = useRead<KeptPage>(
    api,
    withQuery('/listings', { payTo, origin, text: path, limit: 100 }),
  );
  const found = answer?.listings.find((one) => one.type === 'http' && one.resource === `${origin}${path}`);
  if (found === undefined) return null;
  return (
    <>
      {' '}
      <a href={listingAddress(found.id)}>its listing</a>
      {found.stale !== undefined && (
        <>
          {' '}
          <State level="watch" word="stale" /> {staleText(found.stale)}
        </>
      )}
    </>
  );
}

function Facts({ api, settlement }: { api: Api; settlement: Settlement }) {
  const { status, payer, payTo, amount, asset, resource, caller, requestId, result } = settlement;
  const { submitter, bidStroops, feeStroops, ledger, listing } = settlement;
  return (
    <dl class="facts">
      <Fact name="Amount">{amount === undefined ? undefined : shownAmount(amount, asset)}</Fact>
      <Fact name="Asset">{asset === undefined ? undefined : <Full text={asset} name="the asset" />}</Fact>
      <Fact name="Payer">
        <Full text={payer} name="the payer" /> <a href={addressOf({ payer })}>all of this payer</a>
      </Fact>
      <Fact name="Recipient">
        {payTo === undefined ? undefined : (
          <>
            <Full text={payTo} name="the recipient" />{' '}
            <a href={addressOf({ payTo })}>all to this recipient</a>
          </>
        )}
      </Fact>
      <Fact name="Resource">{resource === undefined ? undefined : <Resource url={resource} />}</Fact>
      <Fact name="Listing">
        {listing === undefined ? (
          'It asked for none.'
        ) : (
          <>
            <State level={LISTINGS[listing].level} word={listing} />
            {listing === 'listed' && resource !== undefined && originOf(resource) !== undefined && (
              <ListingNow api={api} resource={resource} payTo={payTo} />
            )}
          </>
        )}
      </Fact>
      <Fact name="Caller">
        {caller === undefined ? undefined : (
          <a href={addressOf({ caller })}>
            <Text text={caller} />
          </a>
        )}
      </Fact>
      <Fact name="Request id">
        {requestId === undefined ? undefined : <Full text={requestId} name="the request id" />}
      </Fact>
      <Fact name="Channel account">
        <Full text={submitter} name="the channel account" />
      </Fact>
      <Fact name="Fee">
        {feeStroops === undefined ? NO_FEE[status] : `${shownXlm(feeStroops)} XLM`} (bid{' '}
        {shownXlm(bidStroops)} XLM)
      </Fact>
      <Fact name="Ledger">{ledger}</Fact>
      <Fact name="Result">{result === undefined ? undefined : <Text text={result} />}</Fact>
    </dl>
  );
}
