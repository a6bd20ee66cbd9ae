import { headlineOf, type Trouble } from './health.ts';
import { Sign, type Level } from './parts/state.tsx';
import { Text } from './parts/text.tsx';
import type { Connection } from './live.ts';

interface HeadlineProps {
  troubles: readonly Trouble[];
  /** If true, lists all troubles. If false, links to the page that lists them. */
  isFull: boolean;
  connection: Connection;
}

/** Says whether all is well, or what is wrong. Screen readers read out only the first line when it changes. */
export function Headline({ troubles, isFull, connection }: HeadlineProps) {
  const isLost = connection.state === 'lost';
  const level = isLost ? 'watch' : levelOf(troubles);
  return (
    <section class={`headline ${level}`} aria-label="Health">
      <div role="status">
        <h1>
          <Sign level={level} />{' '}
          {isLost ? 'Not connected: the service cannot be reached' : headlineOf(troubles)}
        </h1>
      </div>
      {isLost && (
        <p>
          {connection.reason} What you see is out of date. The console keeps trying to reconnect. Last known
          state: {headlineOf(troubles).toLowerCase()}.
        </p>
      )}
      {troubles.length > 0 && !isFull && (
        <p>
          <a href="#/">See details</a>
        </p>
      )}
      {troubles.length > 0 && isFull && (
        <ul>
          {troubles.map(({ level: of, where, text }) => (
            <li key={where + text}>
              <Sign level={of} /> <b>{where}:</b> <Text text={text} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export const levelOf = (troubles: readonly Trouble[]): Level => troubles[0]?.level ?? 'good';
