/** Maps each path to what the sandbox answers there. */
import { parseFault, type Faults } from './faults.ts';
import { balance, contractAccount, friendbot, mint } from './accounts.ts';
import { ledgersPage } from './horizon.ts';
import type { JsonRpc } from './jsonRpc.ts';
import type { LedgerSummary, Network } from './network.ts';
import { json, problem, type HttpReply } from './reply.ts';

export interface SandboxRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  /** The address that the caller used, such as https://localhost:8001. */
  origin: string;
}
type Route = (request: SandboxRequest) => HttpReply | Promise<HttpReply>;
export type Router = (request: SandboxRequest) => Promise<HttpReply>;

/** The most ledgers that one request closes: those of a day. */
const MAX_ADVANCE_LEDGERS = 17_280;

/** `ledgerMs` is the time between ledgers by which `/advance` moves the clock. */
export function createRouter(network: Network, faults: Faults, rpc: JsonRpc, ledgerMs: number): Router {
  const callRpc: Route = ({ body, origin }) => rpc.respond(body, origin);
  const askFriendbot: Route = ({ query }) => friendbot(network, query);
  const showFaults: Route = () => json({ faults: faults.list() });

  const routes: Record<string, Record<string, Route>> = {
    '/': { POST: callRpc },
    '/rpc': { POST: callRpc },
    // Stock SDKs use POST for the friendbot, and people use GET.
    '/friendbot': { GET: askFriendbot, POST: askFriendbot },
    '/mint': { GET: ({ query }) => mint(network, query) },
    '/balance': { GET: ({ query }) => balance(network, query) },
    '/contract-account': { GET: ({ query }) => contractAccount(network, query) },
    '/ledgers': { GET: ({ query }) => ledgersPage(network, query) },
    '/close': {
      POST() {
        network.closeLedger();
        return json({ sequence: network.latestLedger });
      },
    },
    '/advance': { POST: ({ query }) => advance(network, query, ledgerMs) },
    '/reset': { POST: () => reset(network, faults, rpc) },
    '/upgrade': { POST: ({ query }) => upgrade(network, query) },
    '/calls': {
      GET({ query }) {
        const counts = rpc.calls.counts();
        if (query.get('reset') === '1') rpc.calls.reset();
        return json(counts);
      },
    },
    '/faults': {
      GET: showFaults,
      POST({ body, ...request }) {
        const parsed = parseFault(body);
        if ('wrong' in parsed) return problem(400, parsed.wrong);
        try {
          faults.add(parsed.fault);
        } catch (error) {
          return problem(400, (error as Error).message);
        }
        return showFaults({ body, ...request });
      },
      DELETE(request) {
        faults.clear();
        return showFaults(request);
      },
    },
  };

  return async (request) => {
    const methods = Object.hasOwn(routes, request.path) ? routes[request.path]! : undefined;
    if (!methods) return problem(404, `no such path; there are ${Object.keys(routes).join(' ')}`);
    const route = Object.hasOwn(methods, request.method) ? methods[request.method]! : undefined;
    if (!route) return problem(405, `${request.path} takes ${Object.keys(methods).join(', ')}`);
    return route(request);
  };
}

function reset(network: Network, faults: Faults, rpc: JsonRpc): HttpReply {
  faults.clear();
  rpc.calls.reset();
  network.reset();
  return json({ sequence: network.latestLedger });
}

/** `/advance?ledgers=12`: closes that many ledgers now, as if the time between them had passed. */
function advance(network: Network, query: URLSearchParams, ledgerMs: number): HttpReply {
  const ledgers = query.get('ledgers') ?? '';
  if (!/^[1-9]\d{0,4}$/.test(ledgers) || Number(ledgers) > MAX_ADVANCE_LEDGERS)
    return problem(400, `ledgers must be an integer from 1 to ${MAX_ADVANCE_LEDGERS}`);
  network.advance(Number(ledgers), ledgerMs);
  const [{ sequence, closedAtMs }] = network.ledgers(1) as [LedgerSummary];
  return json({ sequence, closedAt: new Date(closedAtMs).toISOString() });
}

/** `/upgrade?protocol=30`: upgrades with the next ledger. Answers 400 unless the protocol is newer and has a host. */
function upgrade(network: Network, query: URLSearchParams): HttpReply {
  try {
    network.upgrade(Number(query.get('protocol')));
  } catch (error) {
    return problem(400, (error as Error).message);
  }
  return json({ protocol: network.protocol, upgradesAt: network.latestLedger + 1 });
}
