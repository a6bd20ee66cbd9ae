import { useEffect, useState } from 'preact/hooks';
import type { Overview } from './parts/api.ts';
import { followOverview } from './parts/stream.ts';

export type Connection =
  | { readonly state: 'opening' | 'live' }
  | { readonly state: 'lost'; readonly reason: string };

export interface Live {
  /** The latest overview; undefined until the first one arrives. */
  readonly overview: Overview | undefined;
  readonly connection: Connection;
  /** When the service last sent anything, by the browser's clock. */
  readonly heardAtMs: number;
  /** Add this to the browser's time to get the service's time. */
  readonly offsetMs: number;
}

const BEFORE: Live = { overview: undefined, connection: { state: 'opening' }, heardAtMs: 0, offsetMs: 0 };

/** Follows the overview while somebody is signed in. */
export function useLive(isSignedIn: boolean, onUnauthorized: () => void): Live {
  const [live, setLive] = useState(BEFORE);
  useEffect(() => {
    if (!isSignedIn) return setLive(BEFORE);
    return followOverview({
      overview: (overview) =>
        setLive((was) => ({ ...was, overview, offsetMs: Date.parse(overview.at) - Date.now() })),
      heard: () => setLive((was) => ({ ...was, connection: { state: 'live' }, heardAtMs: Date.now() })),
      lost: (reason) => setLive((was) => ({ ...was, connection: { state: 'lost', reason } })),
      unauthorized: onUnauthorized,
    });
  }, [isSignedIn]);
  return live;
}
