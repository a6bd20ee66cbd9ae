import type { Overview } from '../parts/api.ts';
import { Chart } from '../parts/chart.tsx';
import { useNow } from '../parts/clock.tsx';
import { counted, shownCount } from '../parts/numbers.ts';
import { Section } from '../parts/section.tsx';
import { localTime } from '../parts/time.ts';

/** Shows the number of listings in the catalog, now and over the last day. */
export function CatalogGrowth({ catalog, isDark }: { catalog: Overview['catalog']; isDark: boolean }) {
  const now = useNow();
  const { growth, listings } = catalog;
  const first = growth[0];
  return (
    <Section title="Catalog" note={listings === undefined ? undefined : counted(listings, 'listing')}>
      {growth.length < 2 || first === undefined ? (
        <p class="empty">The chart begins five minutes after the start.</p>
      ) : (
        <Chart
          kind="line"
          summary={`From ${localTime(first.at, now)} until now the catalog went from ${shownCount(first.listings)} to ${shownCount(growth.at(-1)!.listings)} listings.`}
          names={growth.map(({ at }) => ({
            short: localTime(at, now).slice(-8, -3),
            long: localTime(at, now),
          }))}
          series={[{ label: 'listings', class: 'plain', values: growth.map((one) => one.listings) }]}
          isDark={isDark}
        />
      )}
    </Section>
  );
}
