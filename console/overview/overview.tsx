import type { Api, Overview } from '../parts/api.ts';
import { usePages } from '../parts/pages.ts';
import { Section } from '../parts/section.tsx';
import { SETTLEMENTS } from '../settlements/filters.ts';
import { Rows } from '../settlements/rows.tsx';
import { Accounts } from './accounts.tsx';
import { CatalogGrowth } from './catalog.tsx';
import { Glance } from './glance.tsx';
import { Nodes } from './nodes.tsx';
import { PaymentsPerLedger } from './payments.tsx';
import { Refusals } from './refusals.tsx';
import { Webhooks } from './webhooks.tsx';

interface OverviewPageProps {
  api: Api;
  overview: Overview;
  pulse: string;
  isDark: boolean;
}

const PENDING = { status: 'pending' };

/** Shows how the service is. */
export function OverviewPage({ api, overview, pulse, isDark }: OverviewPageProps) {
  return (
    <>
      <Glance overview={overview} />
      <PaymentsPerLedger ledgers={overview.ledgers} isDark={isDark} />
      {overview.inFlight > 0 && <InFlight api={api} pulse={pulse} />}
      <div class="column">
        <Accounts accounts={overview.accounts} />
        {overview.webhooks !== undefined && <Webhooks api={api} webhooks={overview.webhooks} />}
      </div>
      <div class="column">
        <Nodes nodes={overview.nodes} />
        <Refusals refusals={overview.refusals} />
        <CatalogGrowth catalog={overview.catalog} isDark={isDark} />
      </div>
    </>
  );
}

function InFlight({ api, pulse }: { api: Api; pulse: string }) {
  const { rows, problem } = usePages(api, SETTLEMENTS, PENDING, pulse);
  return (
    <Section title="In flight" note="Sent, without an outcome yet" class="wide">
      {problem !== undefined && <p class="problem">{problem}</p>}
      <Rows label="Settlements in flight" settlements={rows} />
    </Section>
  );
}
