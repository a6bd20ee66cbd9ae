/** The search, and the filters of the list. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { withQuery, type Api } from '../parts/api.ts';
import { textsOf } from '../parts/form.ts';
import { go } from '../parts/route.ts';
import { addressOf, filtersIn, find, instantOf, localOf, type Filters } from './filters.ts';
import { STATUSES } from './words.ts';

const TEXTS = [
  ['payer', 'Payer'],
  ['payTo', 'Recipient'],
  ['asset', 'Asset'],
  ['caller', 'Caller (key:… or anonymous)'],
  ['code', 'Code'],
] as const;
const TIMES = [
  ['since', 'From'],
  ['until', 'Until'],
] as const;

/** Finds a settlement by its hash, or the settlements of an account. */
export function Search({ api }: { api: Api }) {
  const [note, setNote] = useState<ComponentChildren>();
  const id = useId();
  async function search(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const { sought: text = '' } = textsOf(event.currentTarget);
    setNote('Searching …');
    const found = await find(text, api, AbortSignal.timeout(10_000)).catch((error: unknown) => ({
      problem: (error as Error).message,
    }));
    if ('problem' in found) return setNote(found.problem);
    setNote(
      found.other && (
        <>
          These are the payments that it made. <a href={found.other}>Show the payments to it</a>
        </>
      ),
    );
    go(found.address);
  }
  return (
    <form class="search" role="search" onSubmit={(event) => void search(event)}>
      <label for={id}>Hash, payer or recipient</label>
      <div class="row">
        <input id={id} name="sought" type="search" autocomplete="off" spellcheck={false} required />
        <button type="submit">Find</button>
      </div>
      <p class="note" role="status">
        {note}
      </p>
    </form>
  );
}

export function FilterForm({ filters, codes }: { filters: Filters; codes: readonly string[] }) {
  const id = useId();
  const others = Object.keys(filters).filter((name) => name !== 'status').length;
  const [isOpen, setOpen] = useState(others > 0);
  useEffect(() => setOpen((was) => was || others > 0), [others]);

  function apply(form: HTMLFormElement): void {
    const given = textsOf(form);
    for (const [name] of TIMES) given[name] = instantOf(given[name] ?? '');
    go(addressOf(filtersIn(given)));
  }
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    apply(event.currentTarget);
  };

  // With a new key, the fields show the filters of a new address.
  return (
    <form class="filters" key={JSON.stringify(filters)} aria-label="Filters" onSubmit={submit}>
      <label>
        <span>Status</span>
        <select
          name="status"
          value={filters.status ?? ''}
          onChange={(event) => apply(event.currentTarget.form!)}
        >
          <option value="">All</option>
          {Object.keys(STATUSES).map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>More filters{others > 0 && ` (${others})`}</summary>
        <div class="fields">
          {TEXTS.map(([name, label]) => (
            <label key={name}>
              <span>{label}</span>
              <input
                name={name}
                defaultValue={filters[name] ?? ''}
                maxLength={128}
                autocomplete="off"
                spellcheck={false}
                list={name === 'code' ? `${id}-codes` : undefined}
              />
            </label>
          ))}
          {TIMES.map(([name, label]) => (
            <label key={name}>
              <span>{label}</span>
              <input name={name} type="datetime-local" step={1} defaultValue={localOf(filters[name])} />
            </label>
          ))}
          <datalist id={`${id}-codes`}>
            {codes.map((code) => (
              <option key={code} value={code} />
            ))}
          </datalist>
          <button type="submit">Apply</button>
        </div>
      </details>
      <p class="row">
        {Object.keys(filters).length > 0 && <a href="#/settlements">Clear filters</a>}
        <a href={withQuery('/settlements.csv', filters)} download="settlements.csv">
          Download as CSV
        </a>
      </p>
    </form>
  );
}
