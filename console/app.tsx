/** The whole page: the head, the headline, and the content that the address selects. */
import { useEffect, useRef } from 'preact/hooks';
import { Head } from './head.tsx';
import { headlineOf, troublesOf } from './health.ts';
import { Headline } from './headline.tsx';
import { useLive, type Live } from './live.ts';
import { Detail } from './listings/detail.tsx';
import { filtersIn as listingFiltersIn } from './listings/filters.ts';
import { Listings } from './listings/list.tsx';
import { OverviewPage } from './overview/overview.tsx';
import type { Api, Overview } from './parts/api.ts';
import { Clock } from './parts/clock.tsx';
import { useRoute, type Route } from './parts/route.ts';
import { useTheme } from './parts/theme.tsx';
import { filtersIn } from './settlements/filters.ts';
import { SettlementList } from './settlements/list.tsx';
import { Story } from './settlements/story.tsx';
import { useSession } from './session.ts';
import { SignIn } from './signIn.tsx';

export function App() {
  const session = useSession();
  const { isAsked, api } = session;
  const live = useLive(!isAsked, session.ask);
  const route = useRoute();
  const themed = useTheme();
  const main = useRef<HTMLElement>(null);
  useFocusOf(main, route);
  useTitle(live);
  return (
    <Clock offsetMs={live.offsetMs}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Head
        live={live}
        themed={themed}
        place={isAsked ? undefined : placeOf(route)}
        onSignOut={session.end}
      />
      <main id="main" ref={main} tabIndex={-1}>
        {isAsked ? (
          <SignIn api={api} onSignedIn={session.begin} />
        ) : (
          <Content api={api} live={live} route={route} isDark={themed.isDark} />
        )}
      </main>
    </Clock>
  );
}

interface ContentProps {
  api: Api;
  live: Live;
  route: Route;
  isDark: boolean;
}

function Content({ api, live, route, isDark }: ContentProps) {
  const { overview, connection } = live;
  if (overview === undefined)
    return (
      <p class="empty" role="status">
        {connection.state === 'lost' ? `The service cannot be reached. ${connection.reason}` : 'Connecting …'}
      </p>
    );
  const place = placeOf(route);
  return (
    <>
      <Headline troubles={troublesOf(overview)} isFull={place === 'overview'} connection={connection} />
      <div class={`page ${place}`}>
        <Shown api={api} overview={overview} route={route} isDark={isDark} />
      </div>
    </>
  );
}

type ShownProps = Omit<ContentProps, 'live'> & { overview: Overview };

function Shown({ api, overview, route, isDark }: ShownProps) {
  const pulse = pulseOf(overview);
  const [, one = ''] = route.path;
  switch (placeOf(route)) {
    case 'overview':
      return <OverviewPage api={api} overview={overview} pulse={pulse} isDark={isDark} />;
    case 'settlements':
      if (one !== '') return <Story api={api} hash={one} />;
      return (
        <SettlementList
          api={api}
          filters={filtersIn(route.query)}
          codes={overview.refusals.map(({ code }) => code)}
          pulse={pulse}
        />
      );
    case 'listings':
      if (one !== '') return <Detail api={api} id={one} />;
      return <Listings api={api} filters={listingFiltersIn(route.query)} size={overview.catalog.listings} />;
  }
}

const PLACES = ['overview', 'settlements', 'listings'] as const;
export type Place = (typeof PLACES)[number];
const placeOf = ({ path: [first] }: Route): Place => PLACES.find((place) => place === first) ?? 'overview';

/** Returns a text that changes whenever a settlement changes. */
const pulseOf = ({ inFlight, ledgers: [latest] }: Overview): string =>
  [inFlight, latest?.ledger, latest?.settled, latest?.failed].join();

/** Moves the focus to the content when the reader goes to another place, but not at the start. */
function useFocusOf(main: { current: HTMLElement | null }, { path }: Route): void {
  const shown = path.join('/');
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [shown]);
}

function useTitle({ overview, connection }: Live): void {
  const health = connection.state === 'lost' ? 'Not connected' : overview && headlineOf(troublesOf(overview));
  useEffect(() => {
    document.title = health === undefined ? 'Facilitator' : `${health} – Facilitator`;
  }, [health]);
}
