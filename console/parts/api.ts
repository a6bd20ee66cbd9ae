/** Asks the operator's port. */
import type { components } from '../../src/contract/operatorTypes.generated.ts';
import type { components as ofServices } from '../../src/contract/types.generated.ts';

type Schemas = components['schemas'];
export type Overview = Schemas['Overview'];
export type Settlement = Schemas['Settlement'];
export type SettlementPage = Schemas['SettlementPage'];
export type SettlementStatus = Schemas['SettlementStatus'];
export type KeptListing = Schemas['KeptListing'];
export type StaleMark = Schemas['StaleMark'];
export type KeptPage = Schemas['KeptPage'];
export type KeptDetail = Schemas['KeptDetail'];
/** The fields of a listing that the console shows. A listing may lack any of them. */
export type Item = Partial<ofServices['schemas']['DiscoveryResource']>;
export type BlockTarget = Schemas['BlockTarget'];
export type Block = Schemas['Block'];
export type Act = Schemas['Act'];
export type FailingEvent = Schemas['FailingEvent'];
export type FailingEvents = Schemas['FailingEvents'];
export type DeadLetter = Schemas['DeadLetter'];
export type DeadLetterPage = Schemas['DeadLetterPage'];
export type CheckName = Schemas['CheckName'];

/** Thrown if the port refuses a request. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export interface Api {
  get<Answer>(path: string, query: Query, signal: AbortSignal): Promise<Answer>;
  post(path: string, body?: object): Promise<void>;
  delete(path: string): Promise<void>;
  signIn(token: string): Promise<void>;
  signOut(): Promise<void>;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Calls `onUnauthorized` whenever the port asks for a sign-in. */
export function createApi(onUnauthorized: () => void): Api {
  async function change(method: Method, path: string, body?: object): Promise<void> {
    const response = await send(method, path, body);
    if (response.status === 401) onUnauthorized();
    await throwIfRefused(response);
  }
  return {
    async get<Answer>(path: string, query: Query, signal: AbortSignal) {
      const response = await fetch(withQuery(path, query), { signal });
      if (response.status === 401) onUnauthorized();
      await throwIfRefused(response);
      return (await response.json()) as Answer;
    },
    post: (path, body) => change('POST', path, body),
    delete: (path) => change('DELETE', path),
    async signIn(token) {
      await throwIfRefused(await send('POST', '/session', { token }));
    },
    async signOut() {
      await throwIfRefused(await send('DELETE', '/session'));
    },
  };
}

type Method = 'POST' | 'DELETE';

async function send(method: Method, path: string, body?: object): Promise<Response> {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    return await fetch(path, { method, ...(body && json) });
  } catch {
    throw new Error('The service did not answer, so this may or may not be done. Try again.');
  }
}

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

export async function throwIfRefused(response: Response): Promise<void> {
  if (response.ok) return;
  const answer = (await response.json().catch(() => undefined)) as Schemas['OperatorError'] | undefined;
  throw new ApiError(response.status, answer?.error.message ?? `The service answered ${response.status}.`);
}
