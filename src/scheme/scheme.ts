import { setTimeout as sleep } from 'node:timers/promises';
import { StrKey } from '@stellar/stellar-sdk';
import type { SettleResponse, VerifyResponse } from '../contract/index.ts';
import type { PaymentPolicy } from './verify/checks/policy.ts';
import { createCodeCost } from './verify/contractCode.ts';
import { createInclusionFees } from './settle/inclusionFees.ts';
import { createInFlight } from './settle/inFlight.ts';
import type { SettlementJournal } from './settle/journal.ts';
import { createLedgerClock, recentPaceSeconds, sightLedgers } from '../stellar/ledgerClock.ts';
import type { LedgerSighting } from '../stellar/ledgerClock.ts';
import type { SchemeLog } from '../stellar/log.ts';
import { createLeeway } from './verify/leeway.ts';
import { MAX_VERIFIED_LATELY, SETTLE_LIMITS } from './limits.ts';
import type { SettleLimits } from './limits.ts';
import { LUMENS, networkIdOf, PASSPHRASES, USDC } from '../stellar/networks.ts';
import type { Network } from '../stellar/networks.ts';
import { createPayers, noting } from './settle/payers.ts';
import type { Payment, SchemeRequest, SettleRequest } from './payment.ts';
import { pendingOf } from './settle/pending.ts';
import { partyOf } from './verify/party.ts';
import { recover } from './settle/recovery.ts';
import { refuse } from './refusal.ts';
import type { Refusal, Refused } from './refusal.ts';
import { invalid, settled, valid } from './responses.ts';
import { heardBy } from '../stellar/rpc/heard.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { settle } from './settle/settle.ts';
import type { SettleDeps } from './settle/settle.ts';
import type { Signer } from './settle/signer.ts';
import { createSlots } from './settle/slots.ts';
import { createSubmitters } from './settle/submitters.ts';
import { createVerifiedLately } from './settle/verifiedLately.ts';
import { examine, readRequest } from './verify/verify.ts';
import { createWatcher } from './settle/watcher.ts';

export interface SchemeDeps {
  network: Network;
  rpc: Rpc;
  submitters: readonly Signer[];
  feeBump: Signer | undefined;
  fees: FeeSettings;
  policy: PaymentPolicy;
  journal: SettlementJournal;
  /** Called when a payment settles after its answer was due, or after a restart. */
  onLateSettlement: () => void;
  log: SchemeLog;
  /** Monotonic milliseconds; a test may bring its own clock. */
  now?: () => number;
  limits?: Partial<SettleLimits>;
}

export interface FeeSettings {
  /** The highest fee for one settlement; `MAX_TRANSACTION_FEE_STROOPS`. */
  ceilingStroops: number;
  /** The percentile of recent inclusion fees: 10, 20 … 90, 95 or 99; `INCLUSION_FEE_PERCENTILE`. */
  percentile: number;
  /** The lowest and the highest offer for inclusion, for each operation. */
  minInclusionStroops: number;
  maxInclusionStroops: number;
}

/** The exact scheme on one Stellar network. */
export interface Scheme {
  readonly kind: { x402Version: 2; scheme: 'exact'; network: Network; extra: { areFeesSponsored: true } };
  /** Public addresses of the accounts that source settlement transactions. */
  readonly submitters: readonly string[];
  readonly feeBumpAddress: string | null;
  /** Decides whether a payment is good. Usually makes one RPC call. */
  verify(request: SchemeRequest): Promise<VerifyResponse>;
  /** Puts a payment on the ledger. While it waits, only its transaction, its terms and `listing` are kept. */
  settle(request: SettleRequest): Promise<SettleResponse>;
  /** Learns the ledgers' rhythm and the submitters' sequence numbers before the first payment. Never throws. */
  open(): Promise<void>;
  /**
   * Waits until every request is answered, within a limit, and disconnects from the network. Settlements that nobody
   * waits for any more are left to the journal.
   */
  close(): Promise<void>;
}

/** Makes callers that ask at the same time share one answer. */
function shared<Question extends unknown[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return (...question) => (asking ??= ask(...question).finally(() => (asking = undefined)));
}

export function createScheme(deps: SchemeDeps): Scheme {
  const { network, feeBump, log, now = () => performance.now() } = deps;
  const limits = { ...SETTLE_LIMITS, ...deps.limits };
  const submitterAddresses = deps.submitters.map(({ address }) => address);
  const facilitatorAddresses = [...submitterAddresses, ...(feeBump ? [feeBump.address] : [])];
  const inFlight = createInFlight(limits);
  const clock = createLedgerClock(now, deps.journal.latestClose());
  const rpc = heardBy(clock, deps.rpc);
  const closing = new AbortController();
  const onFault = (fault: unknown): void => log.warn({ err: fault }, 'fault while settling');
  const payers = createPayers({
    rpc,
    clock,
    now,
    policy: deps.policy,
    onMeansKnown: () => submitters.handOut(),
    onFault,
  });
  const submitters = createSubmitters({ signers: deps.submitters, rpc, payers, now, limits });
  const verifying = createSlots(
    {
      atOnce: limits.maxVerifiedAtOnce,
      maxPlaces: limits.maxWaitingToBeVerified,
      maxPlacesPerParty: limits.maxWaitingPaymentsPerParty,
    },
    now,
  );
  const inclusionFees = createInclusionFees({
    rpc,
    clock,
    percentile: deps.fees.percentile,
    limits,
    onFault,
  });
  const watcher = createWatcher({ rpc, clock, limits, now, closing: closing.signal, onFault });
  const verifiedLately = createVerifiedLately(MAX_VERIFIED_LATELY);
  const parts: SettleDeps = {
    rpc,
    purpose: 'settling',
    leeway: createLeeway([LUMENS[network], USDC[network]], createCodeCost(rpc)),
    sightLedgers: shared(() => sightLedgers(rpc)),
    recentPaceSeconds: shared((sighting: LedgerSighting) => recentPaceSeconds(rpc, sighting)),
    clock,
    submitters,
    payers,
    inFlight,
    verifying,
    verifiedLately,
    inclusionFees,
    watcher,
    journal: noting(payers, deps.journal),
    onLateSettlement: deps.onLateSettlement,
    limits,
    now,
    log,
    feeBump,
    facilitatorAddresses: new Set(facilitatorAddresses),
    facilitatorKeys: facilitatorAddresses.map((address) => StrKey.decodeEd25519PublicKey(address)),
    feePolicy: { ...deps.fees, hasFeeBump: feeBump !== undefined },
    networkPassphrase: PASSPHRASES[network],
    networkId: networkIdOf(PASSPHRASES[network]),
    closing: closing.signal,
    onFault,
  };

  const readDeps = { ...parts, policy: deps.policy };

  /** Reads a request. Nothing that a sender writes should make this throw; if it does, this service is at fault. */
  function read(request: SchemeRequest): Payment | Refused {
    try {
      return readRequest(request, readDeps);
    } catch (fault) {
      return { refusal: unexpected(fault) };
    }
  }

  /** Work whose result a sender waits for. */
  const asked = new Set<Promise<unknown>>();

  function answering<Answer>(work: Promise<Answer>): Promise<Answer> {
    asked.add(work);
    return work.finally(() => asked.delete(work));
  }

  async function allAnswered(): Promise<void> {
    while (asked.size > 0) await Promise.allSettled(asked);
  }

  /** Not async, like settlePayment. */
  function verify(request: SchemeRequest): Promise<VerifyResponse> {
    const payment = read(request);
    if ('refusal' in payment) return Promise.resolve(invalid(payment.refusal, payment.payer));
    return verdictOn(payment);
  }

  async function verdictOn(payment: Payment): Promise<VerifyResponse> {
    try {
      const verified = await examine({ ...parts, purpose: 'verifying' }, payment);
      if ('code' in verified) return invalid(verified, payment.payer);
      verifiedLately.note(payment.transaction);
      return valid(payment.payer);
    } catch (fault) {
      return invalid(unexpected(fault), payment.payer);
    }
  }

  /** Not async: a waiting payment must not hold on to the request, nor to anything decoded. */
  function settlePayment(request: SettleRequest): Promise<SettleResponse> {
    const payment = read(request);
    if ('refusal' in payment) return Promise.resolve(settled(payment, network, payment.payer));
    const { payer } = payment;
    return settle(parts, pendingOf(payment, partyOf(payment, parts.leeway), request)).then((ending) =>
      settled(ending, network, payer),
    );
  }

  function unexpected(fault: unknown): Refusal {
    log.error({ err: fault, code: 'unexpected_verify_error' }, 'unexpected fault while verifying');
    return refuse(
      'unexpected_verify_error',
      'The payment could not be verified, most likely because the network did not answer; try again.',
    );
  }

  return {
    kind: { x402Version: 2, scheme: 'exact', network, extra: { areFeesSponsored: true } },
    submitters: submitterAddresses,
    feeBumpAddress: feeBump?.address ?? null,

    verify: (request) => answering(verify(request)),
    settle: (request) => answering(settlePayment(request)),

    async open() {
      recover(parts);
      const warmUps = [
        submitters.open().then((missing) => {
          if (missing.length > 0)
            log.warn({ missing }, 'submitters without an account: fund them with lumens');
        }),
        sightLedgers(rpc),
        inclusionFees.current(),
        rpc.callEach('getNetwork').then((answers) => {
          const fault = answers.find((answer) => answer instanceof Error);
          if (fault !== undefined) throw fault;
        }),
      ];
      for (const warmUp of await Promise.allSettled(warmUps)) {
        if (warmUp.status === 'rejected')
          log.warn({ err: warmUp.reason as unknown }, 'the RPC does not answer yet');
      }
    },

    async close() {
      const drained = new AbortController();
      await Promise.race([
        allAnswered(),
        sleep(limits.drainMs, undefined, { signal: drained.signal }).catch(() => {}),
      ]);
      drained.abort();
      closing.abort();
      await rpc.close();
    },
  };
}
