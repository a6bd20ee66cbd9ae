import { Address, xdr, type Keypair } from '@stellar/stellar-sdk';
import { NATIVE } from '../../support/payments.ts';
import { followCall, signedBy } from '../../support/paymentsAttempt.ts';
import {
  address,
  invocationOf,
  muxed,
  sign,
  sourceOf,
  type Draft,
  type DraftEntry,
} from '../../support/paymentsDraft.ts';
import type { Cast, Defect, Rung } from './rung.ts';

/** The authorization entries. The network looks at those that a call uses only. */
export const authorizationRungs: readonly Rung[] = [
  {
    code: 'invalid_exact_stellar_payload_no_auth_entries',
    reached: 'HTTP',
    defects: [{ name: 'an empty list', spoil: ({ draft }) => void (draft.entries = []) }],
  },
  {
    code: 'invalid_exact_stellar_payload_unsupported_credential_type',
    reached: 'HTTP',
    defects: [
      {
        name: 'a second entry with delegates',
        spoil: spare((entry) => void (entry.credentials = 'addressWithDelegates')),
      },
      {
        name: "a second entry with the source account's credentials",
        spoil: spare((entry) => void (entry.credentials = 'sourceAccount')),
      },
      {
        name: 'a payer who is the source of the transaction',
        spoil({ draft, payer }) {
          draft.source = sourceOf(payer.publicKey());
          draft.entries[0]!.credentials = 'sourceAccount';
        },
      },
      {
        name: "a payer's entry with delegates",
        spoil({ draft, payer }) {
          draft.entries[0]!.credentials = 'addressWithDelegates';
          sign(draft.entries[0]!, payer);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_facilitator_in_auth',
    reached: 'HTTP',
    defects: [
      {
        name: 'a submitter in a second entry',
        spoil: spare((entry, { submitter }) => void (entry.address = new Address(submitter).toScAddress())),
      },
      {
        name: 'the fee-bump account in a second entry',
        spoil: spare((entry, { feeBump }) => void (entry.address = new Address(feeBump).toScAddress())),
      },
      {
        name: 'a muxed form of a submitter in a second entry, which the RPC does not look at',
        spoil(attempt, cast) {
          spare((entry, { submitter }) => {
            const argument = address(muxed(submitter, '7'));
            if (argument.type === 'scvAddress') entry.address = argument.address;
          })(attempt, cast);
          attempt.simulatedInstead = (draft) => ({ ...draft, entries: draft.entries.slice(0, 1) });
        },
      },
      {
        name: "a submitter among the arguments of a second entry's call",
        spoil: spare((entry, { submitter }, { contract, args }) => {
          const paid = [args[0]!, address(submitter), args[2]!];
          entry.invocation = invocationOf({ contract, functionName: 'transfer', args: paid });
        }),
      },
      {
        name: "a submitter deep in an argument of a second entry's call",
        spoil: spare((entry, { submitter }, { contract }) => {
          const args = [xdr.ScVal.scvVec([xdr.ScVal.scvVec([address(submitter)])])];
          entry.invocation = invocationOf({ contract, functionName: 'transfer', args });
        }),
      },
      {
        name: "a submitter's key in the signature of a second entry",
        spoil: spare((entry, { submitter }) => {
          entry.signature = xdr.ScVal.scvVec([address(submitter)]);
        }),
      },
      { name: 'a submitter as recipient of lumens', spoil: lumensTo(({ submitter }) => submitter) },
      {
        name: 'a muxed form of a submitter as recipient of lumens',
        spoil: lumensTo(({ submitter }) => muxed(submitter, '7')),
      },
      { name: 'the fee-bump account as recipient of lumens', spoil: lumensTo(({ feeBump }) => feeBump) },
      {
        name: 'a muxed form of the fee-bump account as recipient of lumens',
        spoil: lumensTo(({ feeBump }) => muxed(feeBump, '0')),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_far',
    reached: 'HTTP',
    defects: [
      {
        name: 'a second entry that holds too long',
        spoil: spare((entry, { lastLedger }) => void (entry.expiration = lastLedger + 1_000)),
      },
      {
        name: "a payer's entry that holds too long",
        spoil({ draft, payer }, { lastLedger }) {
          draft.entries[0]!.expiration = lastLedger + 1_000;
          sign(draft.entries[0]!, payer);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_has_subinvocations',
    reached: 'HTTP',
    defects: [
      {
        name: 'a second entry that allows a further call',
        spoil: spare((entry) => void (entry.invocation = withSubInvocation(entry.invocation))),
      },
      {
        name: "a payer's entry that allows a further call",
        spoil({ draft, payer }) {
          const entry = draft.entries[0]!;
          entry.invocation = withSubInvocation(entry.invocation);
          sign(entry, payer);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_missing_payer_signature',
    reached: 'misbehaving RPC',
    defects: [
      {
        name: 'an unsigned payer whom the RPC takes for signed',
        spoil(attempt) {
          attempt.draft.entries[0]!.signature = xdr.ScVal.scvVoid();
          attempt.simulatedInstead = signedBy(attempt.payer);
        },
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_unexpected_pending_signatures',
    reached: 'HTTP',
    defects: [
      {
        name: 'an unsigned second entry',
        spoil: spare((entry) => void (entry.signature = xdr.ScVal.scvVoid())),
      },
    ],
  },
];

/** Changes a second entry, which no call uses and the network therefore does not look at; it is added when missing. */
function spare(edit: (entry: DraftEntry, cast: Cast, draft: Draft) => void): Defect['spoil'] {
  return ({ draft }, cast) => {
    if (draft.entries.length < 2) draft.entries[1] = spareEntry(draft.entries[0]!, cast.stranger);
    edit(draft.entries[1]!, cast, draft);
  };
}

/** Pays in the one asset that these accounts can receive. */
function lumensTo(recipient: (cast: Cast) => string): Defect['spoil'] {
  return (attempt, cast) => {
    const payTo = recipient(cast);
    Object.assign(attempt.request.paymentRequirements, { asset: NATIVE, payTo });
    attempt.draft.contract = new Address(NATIVE).toScAddress();
    attempt.draft.args[1] = address(payTo);
    followCall(attempt);
  };
}

function spareEntry(model: DraftEntry, stranger: Keypair): DraftEntry {
  const entry = { ...model, address: new Address(stranger.publicKey()).toScAddress() };
  sign(entry, stranger);
  return entry;
}

function withSubInvocation(invocation: xdr.SorobanAuthorizedInvocation): xdr.SorobanAuthorizedInvocation {
  return new xdr.SorobanAuthorizedInvocation({ function: invocation.function, subInvocations: [invocation] });
}
