/** Keeps the place in the page's address, so that links and the browser's buttons work. */
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  /** Such as `['settlements', '<hash>']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return routeOf(hash);
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/'), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function go(address: string): void {
  location.hash = address;
}
