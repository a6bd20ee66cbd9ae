import { afterEach, beforeEach, expect, vi } from 'vitest';
import { expectDocumented, type Exchange } from '../support/contract.ts';

/**
 * Holds everything that stock peers of this process are answered by `origin` to openapi.yaml: they keep no answer, so
 * it is read from their fetch. A test in which nothing is asked fails.
 */
export function holdAnswersOf(origin: () => string): void {
  let exchanges: Exchange[];
  beforeEach(() => {
    exchanges = [];
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const response = await fetch(input, init);
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin === origin()) {
        const { status, headers } = response;
        const method = input instanceof Request ? input.method : (init?.method ?? 'GET');
        exchanges.push({ method, path: url.pathname, status, headers, body: await response.clone().text() });
      }
      return response;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    expect(exchanges).not.toEqual([]);
    for (const exchange of exchanges) expectDocumented(exchange);
  });
}
