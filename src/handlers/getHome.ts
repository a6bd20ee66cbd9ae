import type { Handlers, Page } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { renderPage, type PageFacts } from './home/page.ts';

const NAME = 'stellar-facilitator';
/** The answer depends on it. */
const HEADERS = { vary: 'accept' };
const LINKS = {
  verify: 'verify',
  settle: 'settle',
  supported: 'supported',
  health: 'health',
  resources: 'discovery/resources',
  search: 'discovery/search',
  contract: 'openapi.json',
};

/** Says what this is: to people with a page, to programs in JSON. */
export function createGetHome(
  scheme: Pick<Scheme, 'kind'>,
  facts: Omit<PageFacts, 'kind'>,
): Handlers['getHome'] {
  const { version } = facts;
  return ({ caller }) => ({
    status: 200,
    headers: HEADERS,
    body: caller.prefersPage
      ? pageOf({ ...facts, kind: scheme.kind })
      : { name: NAME, version, links: LINKS },
  });
}

const pageOf = (facts: PageFacts): Page => ({
  contentType: 'text/html; charset=utf-8',
  text: renderPage(facts),
});
