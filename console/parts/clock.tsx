/** Gives the service's time, which may differ from the browser's. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

const Now = createContext(0);

const TICK_MS = 1_000;

/** Children read the time with `useNow`. Only those that do are drawn again each second. */
export function Clock({ offsetMs, children }: { offsetMs: number; children: ComponentChildren }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <Now.Provider value={now + offsetMs}>{children}</Now.Provider>;
}

export const useNow = (): number => useContext(Now);
