/** The service as `npm start` runs it, in a process of its own. */
import { startChild } from '../catalog/child.ts';
import type { Child } from '../catalog/child.ts';

export interface ServiceProcess extends Child {
  /** Its address; rejects where it ends before it listens. */
  readonly url: Promise<string>;
  /** Its log so far. */
  logged(): Record<string, unknown>[];
}

export function startService(env: Record<string, string>): ServiceProcess {
  const child = startChild(process.execPath, ['src/main.ts'], { env: { PORT: '0', ...env } });
  const url = child.line(/"msg":"listening"/).then((line) => (JSON.parse(line) as { url: string }).url);
  // Who does not ask for it need not hear that there is none.
  url.catch(() => {});
  return {
    ...child,
    url,
    logged: () => child.lines().map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
