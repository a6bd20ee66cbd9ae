import type { Api } from '../parts/api.ts';
import { Found, type FoundWords } from '../parts/found.tsx';
import { counted } from '../parts/numbers.ts';
import { usePages } from '../parts/pages.ts';
import { Section } from '../parts/section.tsx';
import { isStatus, SETTLEMENTS, type Filters } from './filters.ts';
import { FilterForm, Search } from './form.tsx';
import { Rows } from './rows.tsx';

interface ListProps {
  api: Api;
  filters: Filters;
  /** Codes that the service has answered with since it started. */
  codes: readonly string[];
  /** Changes whenever a settlement changes. */
  pulse: string;
}

const WORDS: FoundWords = {
  nothing: 'No settlement matches.',
  nothingYet: 'Nothing among the newest matches.',
  more: 'Show older',
  further: 'Search further back',
};

/** Shows settlements: those without an outcome first, then the newest. */
export function SettlementList({ api, filters, codes, pulse }: ListProps) {
  const hasStatus = filters.status !== undefined;
  const pending = usePages(
    api,
    SETTLEMENTS,
    hasStatus ? undefined : { ...filters, status: 'pending' },
    pulse,
  );
  const all = usePages(api, SETTLEMENTS, filters, pulse);
  const others = hasStatus ? all.rows : all.rows.filter(({ status }) => status !== 'pending');
  return (
    <>
      <Section title="Find">
        <Search api={api} />
        <FilterForm filters={filters} codes={codes} />
      </Section>
      {!hasStatus && pending.rows.length > 0 && (
        <Section title="Pending" note={`${counted(pending.rows.length, 'settlement')} without an outcome`}>
          <Rows label="Pending settlements" settlements={pending.rows} />
        </Section>
      )}
      <Section
        title="Settlements"
        note={isStatus(filters, 'pending') ? 'Without an outcome, newest first' : 'Newest first'}
      >
        <Found pages={all} count={others.length} words={WORDS}>
          <Rows label="Settlements, newest first" settlements={others} />
        </Found>
      </Section>
    </>
  );
}
