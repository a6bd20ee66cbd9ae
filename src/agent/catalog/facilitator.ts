import { Agent, fetch } from 'undici';
import { Failure, isPassedCode } from '../codes.ts';
import { readBody } from '../../net/body.ts';
import { faultOf } from '../http/fetch.ts';
import { isObject, parseJson, textAt, valueAt, type JsonObject } from '../json.ts';
import { CATALOG_LIMITS, TARGET_LIMITS, type AgentLimits } from '../limits.ts';
import { quoted } from '../words.ts';

export interface SearchPage {
  readonly resources: readonly JsonObject[];
  readonly partialResults: boolean;
  readonly cursor: string | undefined;
}

export interface ListPage {
  readonly items: readonly JsonObject[];
  /** Listings that match the filters, on all pages. */
  readonly total: number;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Reads the facilitator's catalog through its public endpoints only. A fault becomes a failure of the tool call. */
export interface Facilitator {
  search(query: Query): Promise<SearchPage | Failure>;
  list(query: Query, signal?: AbortSignal): Promise<ListPage | Failure>;
  /** Returns the kinds of payment that it serves. */
  kinds(): Promise<readonly JsonObject[] | Failure>;
  close(): Promise<void>;
}

export interface FacilitatorDeps {
  readonly baseUrl: string;
  /** The key that its operator gave; undefined if it needs none. */
  readonly key?: string | undefined;
  readonly limits: AgentLimits;
}

export function createFacilitator({ baseUrl, key, limits }: FacilitatorDeps): Facilitator {
  const agent = new Agent({ connect: { timeout: limits.connectTimeoutMs } });

  async function get(path: string, query: Query, signal?: AbortSignal): Promise<JsonObject | Failure> {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const timeout = AbortSignal.timeout(limits.catalogTimeoutMs);
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        // Only the configured facilitator may be asked, not an address that it redirects to.
        redirect: 'manual',
        dispatcher: agent,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const { bytes, isComplete } = await readBody(response, limits.maxCatalogAnswerBytes);
      if (!isComplete) return unreachable(baseUrl, 'its answer did not arrive completely');
      const body = parseJson(bytes.toString('utf8'), TARGET_LIMITS.maxJsonDepth * 2);
      if (!response.ok) return refusal(baseUrl + path, response.status, body);
      return isObject(body) ? body : nonsense(path, 'without a JSON object');
    } catch (error) {
      return unreachable(baseUrl, faultOf(error));
    }
  }

  return {
    async search(query) {
      const page = await get('/discovery/search', query);
      if (page instanceof Failure) return page;
      const { resources, partialResults } = page;
      if (!Array.isArray(resources)) return nonsense('/discovery/search', 'without the array resources');
      return {
        resources: resources.slice(0, CATALOG_LIMITS.pageSize).filter(isObject),
        partialResults: partialResults === true,
        cursor: cursorIn(page),
      };
    },
    async list(query, signal) {
      const page = await get('/discovery/resources', query, signal);
      if (page instanceof Failure) return page;
      const total = valueAt(page, 'pagination', 'total');
      if (!Array.isArray(page['items'])) return nonsense('/discovery/resources', 'without the array items');
      return { items: page['items'].filter(isObject), total: typeof total === 'number' ? total : 0 };
    },
    async kinds() {
      const body = await get('/supported', {});
      if (body instanceof Failure) return body;
      return Array.isArray(body['kinds'])
        ? body['kinds'].filter(isObject)
        : nonsense('/supported', 'without the array kinds');
    },
    close: () => agent.destroy(),
  };
}

/** Returns undefined if there is no cursor, or if it is too long to be passed back. */
function cursorIn(page: JsonObject): string | undefined {
  const cursor = textAt(page, 'pagination', 'cursor') ?? '';
  return cursor !== '' && cursor.length <= CATALOG_LIMITS.maxCursorChars ? cursor : undefined;
}

function unreachable(baseUrl: string, fault: string): Failure {
  return new Failure(
    'svc_mcp_facilitator_unreachable',
    `Nothing was paid. The facilitator at ${baseUrl} does not answer: ${fault}.`,
  );
}

/** Uses the facilitator's own code, if known, and its own reason, if it gave one. */
function refusal(path: string, status: number, body: unknown): Failure {
  const code = valueAt(body, 'error', 'code');
  const reason = textAt(body, 'error', 'reason') ?? 'no reason given';
  return new Failure(
    isPassedCode(code) ? code : 'svc_mcp_search_failed',
    `Nothing was paid. The facilitator, at ${path}, answered ${status}: ${quoted(reason)}.`,
  );
}

function nonsense(path: string, what: string): Failure {
  return new Failure('svc_mcp_search_failed', `${path} answered ${what}. Nothing was paid.`);
}
