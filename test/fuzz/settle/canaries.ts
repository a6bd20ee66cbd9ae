import { AsyncLocalStorage } from 'node:async_hooks';
/** Ways in which a service, or a network, is broken, each of which the model has to find. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createScheme, type Scheme, type SettlementJournal } from '../../../src/scheme/index.ts';
import {
  both,
  failure,
  fast,
  later,
  outbid,
  withAnswer,
  withDeps,
  withJournal,
  withRpc,
  withScheme,
} from './brokenService.ts';
import type { Broken } from './run.ts';

export interface Canary {
  readonly name: string;
  /** What the model says of it. */
  readonly complaint: RegExp;
  readonly broken: Broken;
}

const LOST = new Promise<never>(() => {});
/** A read of accounts, whose keys begin with four zero bytes; that of contract code is another. */
const asksForAccounts = (params: { keys?: string[] } | undefined): boolean =>
  params?.keys?.every((key) => key.startsWith('AAAAA')) ?? false;
/** What it says where something was sent that should not have been, or was not told as it was. */
const PAID_TWICE_OR_UNTOLD =
  /is a second one|is sent although its|although the seller was told|but ledger \d+ has|^journal: \w+ is /;

export const CANARIES: readonly Canary[] = [
  {
    name: 'a new signature after an answer that was lost',
    complaint: PAID_TWICE_OR_UNTOLD,
    broken: withRpc((rpc) => ({
      ...rpc,
      call: (method, params) =>
        rpc.call(method, params).catch((fault: unknown) => {
          if (method !== 'sendTransaction') throw fault;
          return outbid() as never;
        }),
    })),
  },
  {
    name: 'a rejection that is believed, whatever the ledger holds',
    complaint: PAID_TWICE_OR_UNTOLD,
    broken: withRpc((rpc) => ({
      ...rpc,
      callEach: async (method, params) =>
        (await rpc.callEach(method, params)).map((answer) =>
          method === 'getTransaction' && !(answer instanceof Error)
            ? { ...answer, status: 'NOT_FOUND' }
            : answer,
        ),
    })),
  },
  {
    name: 'fees above the ceiling when they surge',
    complaint: /above the ceiling/,
    broken: withDeps(({ fees }) => ({
      fees: { ...fees, ceilingStroops: 2 * fees.ceilingStroops, maxInclusionStroops: 60_000 },
    })),
  },
  {
    name: 'a success as soon as the network has the transaction',
    complaint: /but the ledger has no such transfer/,
    broken: withRpc((rpc) => ({
      ...rpc,
      async call(method, params) {
        const answer = await rpc.call(method, params);
        return method === 'getTransaction' ? ({ ...answer, status: 'SUCCESS' } as never) : answer;
      },
    })),
  },
  {
    name: 'a simulation that is believed, though its node lags',
    complaint: PAID_TWICE_OR_UNTOLD,
    broken: withRpc((rpc) => {
      let seen = 0;
      return {
        ...rpc,
        async call(method, params) {
          const answer = await rpc.call(method, params);
          const { latestLedger } = answer as { latestLedger?: number };
          if (latestLedger === undefined) return answer;
          seen = Math.max(seen, latestLedger);
          return method === 'simulateTransaction' ? { ...answer, latestLedger: seen } : answer;
        },
      };
    }),
  },
  {
    name: 'an end that is believed too early',
    complaint: PAID_TWICE_OR_UNTOLD,
    broken: withRpc((rpc) => ({
      ...rpc,
      clock: fast(rpc.clock),
      call: async (method, params) => later(await rpc.call(method, params)),
      callEach: async (method, params) => (await rpc.callEach(method, params)).map(later),
    })),
  },
  {
    name: 'a submitter that is let go before the end',
    complaint: /is a second one of its submitter/,
    broken: withScheme((deps) => {
      // Two who do not know of each other: the same payment goes to the same one.
      const schemes = [createScheme(deps), createScheme(deps)];
      const of = (text: string): Scheme => schemes[text.length % 2 === 0 ? text.charCodeAt(60) % 2 : 0]!;
      return {
        ...both(schemes),
        settle: (request) => of(JSON.stringify(request.paymentRequirements)).settle(request),
      };
    }),
  },
  {
    name: 'settlements of one authorization that do not wait for each other',
    complaint: /is a second one for its authorization/,
    broken: withScheme((deps) => {
      const { length } = deps.submitters;
      if (length === 1) return createScheme(deps);
      const [most, last] = [deps.submitters.slice(1), deps.submitters.slice(0, 1)];
      const schemes = [most, last].map((submitters) => createScheme({ ...deps, submitters }));
      // Each submitter has its share of the payments; who asks again asks the other one.
      const asked = new Map<string, number>();
      return {
        ...both(schemes),
        settle(request) {
          const text = JSON.stringify(request);
          const turn = asked.get(text) ?? (asked.size % length === 0 ? 1 : 0);
          asked.set(text, turn + 1);
          return schemes[turn % 2]!.settle(request);
        },
      };
    }),
  },
  {
    name: 'a restart that does not look into the journal',
    complaint: /is a second one|the journal has still open/,
    broken: withJournal((journal) => ({ ...journal, unended: () => [] })),
  },
  {
    name: 'a payment that is said to be settled before, by any transaction',
    complaint: /but f{64} did not settle it/,
    broken: withJournal((journal) => ({ ...journal, settledBy: () => 'f'.repeat(64) })),
  },
  {
    name: 'a line in the journal that comes after the transaction',
    complaint: /is sent and not open in the journal/,
    broken: withJournal((journal) => ({
      ...journal,
      open(entry, mayStillSend) {
        setTimeout(() => void journal.open(entry, mayStillSend));
        return 'open';
      },
    })),
  },
  {
    name: 'an end that is not journaled',
    complaint: /the journal has still open/,
    broken: withJournal((journal) => ({ ...journal, close: () => {} })),
  },
  {
    name: 'a failure that is journaled as no end on the ledger',
    complaint: /journal: \w+ is never in .*, on the ledger failed/,
    broken: withJournal((journal) => ({
      ...journal,
      close: (hash, outcome) =>
        journal.close(hash, outcome.state === 'failed' ? { state: 'expired' } : outcome),
    })),
  },
  {
    name: 'what settled unseen and is not listed',
    complaint: /was paid for and is not listed|still has a listing due/,
    broken: { sabotage: { journal: (journal) => ({ ...journal, unlisted: () => [] }) } },
  },
  {
    name: 'a payment that is called valid unseen',
    complaint: /was verified as .*true/,
    broken: withScheme((deps) => ({ ...createScheme(deps), verify: async () => ({ isValid: true }) })),
  },
  {
    name: 'the hash of another transaction',
    complaint: /but no transaction abab\w+ was sent for it/,
    broken: withAnswer((answer) => (answer.success ? { ...answer, transaction: 'ab'.repeat(32) } : answer)),
  },
  {
    name: 'a transfer that is called a failure',
    complaint: /but no ledger has that as a failure/,
    broken: withAnswer(({ transaction, ...answer }) =>
      answer.success
        ? failure(`Transaction ${transaction} failed in ledger 7.`, transaction)
        : { ...answer, transaction },
    ),
  },
  {
    name: 'a transaction under way that is said to be impossible',
    complaint: /although the seller was told|but ledger \d+ has/,
    broken: withAnswer((answer) =>
      answer.errorMessage?.includes('not known yet') ? failure('It never will be taken.') : answer,
    ),
  },
  {
    name: 'a seller who is answered before the last signature',
    complaint: /is sent after its settlement was answered/,
    broken: withScheme((deps) => {
      const asked = new AsyncLocalStorage<object>();
      const sent = new Map<object | undefined, string>();
      const open: SettlementJournal['open'] = (entry, mayStillSend) => {
        sent.set(asked.getStore(), entry.hash);
        return deps.journal.open(entry, mayStillSend);
      };
      const scheme = createScheme({ ...deps, journal: { ...deps.journal, open } });
      return {
        ...scheme,
        async settle(request) {
          const settled = asked.run(request.paymentPayload, () => scheme.settle(request));
          const first = await Promise.race([settled, sleep(12_000)]);
          const hash = sent.get(request.paymentPayload);
          if (first !== undefined || hash === undefined) return settled;
          return failure(`Whether a ledger took ${hash} is not known yet.`, hash);
        },
      };
    }),
  },
  {
    name: 'an answer that comes too late',
    complaint: /was not answered within/,
    broken: withDeps(() => ({ limits: { answerWithinMs: 200_000 } })),
  },
  {
    name: 'a transaction that stays possible for an hour',
    complaint: /stays possible for 3\d\d\d s/,
    broken: withDeps(() => ({ limits: { minInclusionSeconds: 3_600, maxInclusionSeconds: 3_600 } })),
  },
  {
    name: 'a submitter that is not given back after a rejection',
    complaint: /after the last fault/,
    broken: withRpc((rpc) => {
      let hasRejected = false;
      return {
        ...rpc,
        async call(method, params) {
          if (hasRejected && method === 'getLedgerEntries' && asksForAccounts(params)) return LOST;
          const answer = await rpc.call(method, params);
          hasRejected ||= (answer as { status?: string }).status === 'ERROR';
          return answer;
        },
      };
    }),
  },
  {
    name: 'a rejection that nobody handles',
    complaint: /an unhandled rejection: Error: lost/,
    broken: withAnswer((answer) => {
      if (!answer.success) void Promise.reject(new Error('lost'));
      return answer;
    }),
  },
  {
    name: 'a mistake that is only logged',
    complaint: /the service logs: .*TypeError/,
    broken: withRpc((rpc) => ({
      ...rpc,
      async call(method, params) {
        const answer = await rpc.call(method, params);
        if (method === 'sendTransaction') (answer as { status?: { no: string } }).status!.no.at(0);
        return answer;
      },
    })),
  },
  {
    name: 'a submitter that is paid',
    complaint: /the submitter G\w+ holds \d+ usdc/,
    broken: { meddle: ({ network, service }) => network.mint(service()?.submitters[0] ?? '', 1n) },
  },
  {
    name: 'money out of nowhere',
    complaint: /the payee G\w+ holds \d+ usdc/,
    broken: {
      meddle: ({ network, customers: { payments } }) =>
        payments[0] && network.mint(payments[0].transfer.to, 1n),
    },
  },
];
