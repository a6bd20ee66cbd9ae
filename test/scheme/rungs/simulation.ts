import { nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { NATIVE, USDC, USDC_ISSUER } from '../../support/payments.ts';
import { followCall, type DraftEvent, type SimulationClaim } from '../../support/paymentsAttempt.ts';
import { address, i128, invocationOf, muxedData, sign } from '../../support/paymentsDraft.ts';
import { CEILING_STROOPS } from '../../support/service.ts';
import type { Cast, Defect, Rung } from './rung.ts';

/** What the network says: whether it would execute the payment, at which price, and what would change. */
export const simulationRungs: readonly Rung[] = [
  {
    code: 'invalid_exact_stellar_payload_simulation_failed',
    reached: 'HTTP',
    defects: [
      {
        name: 'more than the payer has',
        spoil(attempt) {
          const tooMuch = 10n ** 15n;
          attempt.draft.args[2] = i128(tooMuch);
          attempt.request.paymentRequirements.amount = String(tooMuch);
          followCall(attempt);
        },
      },
      {
        name: 'a signature by another key',
        spoil: ({ draft }, { stranger }) => sign(draft.entries[0]!, stranger),
      },
      {
        name: 'an authorization of another amount',
        spoil({ draft, payer }) {
          const entry = draft.entries[0]!;
          entry.invocation = invocationOf({ ...draft, args: [...draft.args.slice(0, 2), i128(1n)] });
          sign(entry, payer);
        },
      },
      {
        name: 'an expired authorization',
        spoil({ draft, payer }) {
          draft.entries[0]!.expiration = 1;
          sign(draft.entries[0]!, payer);
        },
      },
      {
        name: 'no signature',
        spoil: ({ draft }) => void (draft.entries[0]!.signature = xdr.ScVal.scvVoid()),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    reached: 'HTTP',
    defects: [
      {
        name: 'a resource fee of the ceiling itself',
        spoil: claim((said) => void (said.minResourceFee = String(CEILING_STROOPS))),
      },
      {
        name: 'a recipient whose balance has to be opened first',
        spoil(attempt, { newContract }) {
          attempt.draft.args[1] = address(newContract);
          attempt.request.paymentRequirements.payTo = newContract;
          followCall(attempt);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_event_not_transfer',
    reached: 'HTTP',
    defects: [
      { name: 'another name', spoil: event(({ topics }) => void (topics[0] = xdr.ScVal.scvSymbol('mint'))) },
      {
        name: 'a name that is a string',
        spoil: event(({ topics }) => void (topics[0] = xdr.ScVal.scvString('transfer'))),
      },
      { name: 'two topics', spoil: event((draft) => void (draft.topics = draft.topics.slice(0, 2))) },
      { name: 'no topics', spoil: event((draft) => void (draft.topics = [])) },
      {
        name: 'a payment to the issuer, which burns it',
        spoil(attempt) {
          attempt.draft.args[1] = address(USDC_ISSUER);
          attempt.request.paymentRequirements.payTo = USDC_ISSUER;
          followCall(attempt);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_event_missing_contract_id',
    reached: 'misbehaving RPC',
    defects: [{ name: 'no contract', spoil: event((draft) => void (draft.contract = null)) }],
  },
  {
    code: 'invalid_exact_stellar_payload_event_wrong_asset',
    reached: 'misbehaving RPC',
    defects: [{ name: 'another contract', spoil: event((draft) => void (draft.contract = NATIVE)) }],
  },
  {
    code: 'invalid_exact_stellar_payload_no_transfer_events',
    reached: 'misbehaving RPC',
    defects: [
      { name: 'no event', spoil: claim((said) => void (said.events = [])) },
      {
        name: 'only one that was rolled back',
        spoil: event((draft) => void (draft.inSuccessfulCall = false)),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_multiple_transfers',
    reached: 'misbehaving RPC',
    defects: [{ name: 'the transfer twice', spoil: claim(({ events }) => void events.push(...events)) }],
  },
  {
    code: 'invalid_exact_stellar_payload_event_wrong_from',
    reached: 'misbehaving RPC',
    defects: [
      {
        name: 'a stranger debited',
        spoil: event(({ topics }, { stranger }) => void (topics[1] = address(stranger.publicKey()))),
      },
      {
        name: 'a debit of something that is no address',
        spoil: event(({ topics }) => void (topics[1] = xdr.ScVal.scvVoid())),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_event_wrong_to',
    reached: 'misbehaving RPC',
    defects: [
      {
        name: 'a stranger credited',
        spoil: event(({ topics }, { stranger }) => void (topics[2] = address(stranger.publicKey()))),
      },
      {
        name: 'a muxed id that nobody asked for',
        spoil: event((draft) => void (draft.data = muxedData(draft.data, xdr.ScVal.scvU64(7n)))),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_event_wrong_amount',
    reached: 'misbehaving RPC',
    defects: [
      { name: 'one unit', spoil: event((draft) => void (draft.data = i128(1n))) },
      { name: 'no number', spoil: event((draft) => void (draft.data = xdr.ScVal.scvVoid())) },
      {
        name: 'the amount as u64',
        spoil: event((draft) => void (draft.data = nativeToScVal(100_000n, { type: 'u64' }))),
      },
    ],
  },
];

function claim(lie: (said: SimulationClaim) => void): Defect['spoil'] {
  return ({ claims }) => void claims.push(lie);
}

/** A lie about the transfer event; where there is none left to change, a new one is made up first. */
function event(edit: (draft: DraftEvent, cast: Cast) => void): Defect['spoil'] {
  return (attempt, cast) => {
    const [from, to, amount] = attempt.draft.args as [xdr.ScVal, xdr.ScVal, xdr.ScVal];
    attempt.claims.push(({ events }) => {
      if (events.length === 0) {
        const topics = [xdr.ScVal.scvSymbol('transfer'), from, to];
        events.push({ contract: USDC, topics, data: amount, inSuccessfulCall: true });
      }
      edit(events[0]!, cast);
    });
  };
}
