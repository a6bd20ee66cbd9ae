import { useState } from 'preact/hooks';
import type { TargetedSubmitEvent } from 'preact';
import type { Api, Block } from '../parts/api.ts';
import { Done } from '../parts/done.tsx';
import { textsOf } from '../parts/form.ts';
import { Found, type FoundWords } from '../parts/found.tsx';
import { usePages } from '../parts/pages.ts';
import { useRead } from '../parts/read.ts';
import { go } from '../parts/route.ts';
import { Section } from '../parts/section.tsx';
import { Acts } from './acts.tsx';
import { Blocks } from './blocks.tsx';
import { ACTS, addressOf, filtersIn, LISTINGS, type Filters } from './filters.ts';
import { ListingRows } from './rows.tsx';

const LISTING_WORDS: FoundWords = {
  nothing: 'No listing matches.',
  nothingYet: 'Nothing among the first matches.',
  more: 'Show more',
  further: 'Search further',
};
const ACT_WORDS: FoundWords = { ...LISTING_WORDS, nothing: 'There are no acts yet.', more: 'Show older' };
const ALL = {};

interface ListingsProps {
  api: Api;
  filters: Filters;
  /** The number of listings. */
  size: number | undefined;
}

/** Shows the catalog's listings, the blocks, and the latest acts. */
export function Listings({ api, filters, size }: ListingsProps) {
  const listings = usePages(api, LISTINGS, filters, String(size));
  const acts = usePages(api, ACTS, ALL, '');
  const blocks = useRead<{ blocks: Block[] }>(api, '/blocks');
  const [done, setDone] = useState<string>();
  function unblocked({ value }: Block): void {
    setDone(`${value} is unblocked.`);
    for (const { again } of [listings, acts, blocks]) again();
  }
  return (
    <>
      <Section title="Listings" note="Oldest first">
        <FilterForm filters={filters} />
        <Found pages={listings} count={listings.rows.length} words={LISTING_WORDS}>
          <ListingRows listings={listings.rows} />
        </Found>
      </Section>
      <Section title="Blocks" note="Origins and recipients that no listing may have">
        <Done text={done} />
        {blocks.problem !== undefined && <p class="problem">{blocks.problem}</p>}
        {blocks.answer !== undefined && (
          <Blocks api={api} blocks={blocks.answer.blocks} onUnblocked={unblocked} />
        )}
      </Section>
      <Section title="Latest acts" note="Who did what, when and why">
        <Found pages={acts} count={acts.rows.length} words={ACT_WORDS}>
          <Acts label="Latest acts" acts={acts.rows} />
        </Found>
      </Section>
    </>
  );
}

const TEXTS = [
  ['text', 'Part of the URL'],
  ['origin', 'Origin (https://…)'],
  ['payTo', 'Recipient'],
] as const;

function FilterForm({ filters }: { filters: Filters }) {
  const apply = (form: HTMLFormElement): void => go(addressOf(filtersIn(textsOf(form))));
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    apply(event.currentTarget);
  };
  // With a new key, the fields show the filters of a new address.
  return (
    <form class="filters" key={JSON.stringify(filters)} role="search" onSubmit={submit}>
      <div class="fields">
        {TEXTS.map(([name, label]) => (
          <label key={name}>
            <span>{label}</span>
            <input
              name={name}
              type="search"
              defaultValue={filters[name] ?? ''}
              maxLength={name === 'payTo' ? 128 : 512}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
        ))}
        <label>
          <span>State</span>
          <select
            name="hidden"
            value={filters.hidden ?? ''}
            onChange={(event) => apply(event.currentTarget.form!)}
          >
            <option value="">All</option>
            <option value="false">Shown</option>
            <option value="true">Hidden or blocked</option>
          </select>
        </label>
        <button type="submit">Find</button>
      </div>
      {Object.keys(filters).length > 0 && (
        <p>
          <a href="#/listings">Clear filters</a>
        </p>
      )}
    </form>
  );
}
