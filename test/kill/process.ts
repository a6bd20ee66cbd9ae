/** The service as `npm start` runs it, in a process of its own. */
import { startChild, type Child } from '../catalog/child.ts';
import { NETWORK } from '../support/payments.ts';

export interface ServiceProcess extends Child {
  /** Its address; rejects where it ends before it listens. */
  readonly url: Promise<string>;
  /** Its log so far. */
  logged(): Record<string, unknown>[];
}

/** What makes a process's clock wrong by so much: for its environment. */
export function clockOffBy(ms: number): { NODE_OPTIONS: string } {
  const script = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { if (given.length > 0) super(...given); else super(Date.now()); }
    static now() { return Real.now() + ${ms}; }
  };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

export function startService(env: Record<string, string>): ServiceProcess {
  const child = startChild(process.execPath, ['dist/stellar-facilitator.js'], {
    env: { NETWORK, PORT: '0', ...env },
  });
  const url = child.line(/"msg":"listening"/).then((line) => (JSON.parse(line) as { url: string }).url);
  // Who does not ask for it need not hear that there is none.
  url.catch(() => {});
  return {
    ...child,
    url,
    logged: () => child.lines().map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
