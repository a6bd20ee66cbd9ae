import { useMemo, useState } from 'preact/hooks';
import { createApi, type Api } from './parts/api.ts';

/** The cookie of a session is hidden from scripts, so the page remembers that it has one. */
const KEY = 'signed in';

export interface Session {
  readonly api: Api;
  /** True if the port asks for a sign-in. */
  readonly isAsked: boolean;
  ask(): void;
  begin(): void;
  /** Signs out. Undefined if nobody has signed in here. */
  readonly end: (() => void) | undefined;
}

export function useSession(): Session {
  const [isAsked, setAsked] = useState(false);
  const [isBegun, setBegun] = useState(() => localStorage.getItem(KEY) !== null);
  function ask(): void {
    localStorage.removeItem(KEY);
    setBegun(false);
    setAsked(true);
  }
  const api = useMemo(() => createApi(ask), []);
  return {
    api,
    isAsked,
    ask,
    begin() {
      localStorage.setItem(KEY, 'yes');
      setBegun(true);
      setAsked(false);
    },
    end: isBegun ? () => void api.signOut().then(ask, ask) : undefined,
  };
}
