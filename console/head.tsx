import type { Live } from './live.ts';
import type { Place } from './app.tsx';
import { Age, Time } from './parts/text.tsx';
import { age } from './parts/time.ts';
import { useNow } from './parts/clock.tsx';
import { State } from './parts/state.tsx';
import { ThemeChoice, type Themed } from './parts/theme.tsx';

/** The pages of the console: place, name and address. */
const PLACES: readonly [Place, string, string][] = [
  ['overview', 'Overview', '#/'],
  ['settlements', 'Settlements', '#/settlements'],
  ['listings', 'Listings', '#/listings'],
];

interface HeadProps {
  live: Live;
  themed: Themed;
  /** Undefined while nobody is signed in. */
  place: Place | undefined;
  /** Undefined if there is no session to end. */
  onSignOut: (() => void) | undefined;
}

/** Shows which service this is, whether the page is up to date, and links to the other pages. */
export function Head({ live, themed, place, onSignOut }: HeadProps) {
  const { overview } = live;
  return (
    <header>
      <div class="bar">
        <span class="brand">Facilitator</span>
        {overview !== undefined && (
          <p class="facts-line">
            <b>{overview.network}</b> <span>version {overview.version}</span>{' '}
            <span>
              up since <Time at={overview.startedAt} /> (<Age at={overview.startedAt} />)
            </span>
          </p>
        )}
        <span class="bar-end">
          {place !== undefined && <Freshness live={live} />}
          <ThemeChoice {...themed} />
          {onSignOut !== undefined && (
            <button type="button" onClick={onSignOut}>
              Sign out
            </button>
          )}
        </span>
      </div>
      {place !== undefined && (
        <nav aria-label="Pages">
          {PLACES.map(([of, name, address]) => (
            <a key={of} href={address} aria-current={of === place ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
    </header>
  );
}

function Freshness({ live: { connection, heardAtMs, offsetMs } }: { live: Live }) {
  const now = useNow();
  if (connection.state === 'live')
    return <State level="good" word="live" title="Each change is shown within a second or two." />;
  if (connection.state === 'opening') return <State level="waiting" word="connecting" />;
  return (
    <State
      level="bad"
      word={heardAtMs === 0 ? 'not connected' : `not connected, ${age(now - offsetMs - heardAtMs)} old`}
    />
  );
}
