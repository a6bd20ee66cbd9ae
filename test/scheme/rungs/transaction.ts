import { Address, Asset, Operation, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { NATIVE, USDC_ISSUER } from '../../support/payments.ts';
import type { Attempt } from '../../support/paymentsAttempt.ts';
import { address, i128, muxed, sourceOf } from '../../support/paymentsDraft.ts';
import type { Rung } from './rung.ts';

/** The structure of the transaction: no network is needed to refuse it. */
export const transactionRungs: readonly Rung[] = [
  {
    code: 'invalid_exact_stellar_payload_wrong_operation',
    reached: 'HTTP',
    defects: [
      {
        name: 'the invocation twice',
        spoil: ({ draft }) => void (draft.operations = (invocation) => [invocation, invocation]),
      },
      { name: 'no operation', spoil: ({ draft }) => void (draft.operations = () => []) },
      {
        name: 'a classic payment',
        spoil: ({ draft }) => void (draft.operations = () => [classicPayment()]),
      },
      {
        name: 'a classic payment beside the invocation',
        spoil: ({ draft }) => void (draft.operations = (invocation) => [invocation, classicPayment()]),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_unsafe_tx_or_op_source',
    reached: 'HTTP',
    defects: [
      {
        name: 'a submitter as source of the transaction',
        spoil: ({ draft }, { submitter }) => void (draft.source = sourceOf(submitter)),
      },
      {
        name: 'a submitter as source of the operation',
        spoil: ({ draft }, { submitter }) => void (draft.operationSource = sourceOf(submitter)),
      },
      {
        name: 'a muxed form of a submitter as source',
        spoil: ({ draft }, { submitter }) => void (draft.source = sourceOf(muxed(submitter, '7'))),
      },
      {
        name: 'the fee-bump account as source',
        spoil: ({ draft }, { feeBump }) => void (draft.source = sourceOf(feeBump)),
      },
      {
        name: 'a muxed form of the fee-bump account as source of the operation',
        spoil: ({ draft }, { feeBump }) => void (draft.operationSource = sourceOf(muxed(feeBump, '0'))),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_wrong_operation',
    reached: 'HTTP',
    defects: [
      {
        name: 'an upload of contract code',
        spoil: ({ draft }) =>
          void (draft.hostFunction = xdr.HostFunction.hostFunctionTypeUploadContractWasm(
            Buffer.from('code'),
          )),
      },
      {
        name: 'the creation of a contract',
        spoil: ({ draft }, { stranger }) =>
          void (draft.hostFunction = xdr.HostFunction.hostFunctionTypeCreateContract(
            new xdr.CreateContractArgs({
              contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
                new xdr.ContractIdPreimageFromAddress({
                  address: new Address(stranger.publicKey()).toScAddress(),
                  salt: Buffer.alloc(32),
                }),
              ),
              executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
            }),
          )),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_wrong_asset',
    reached: 'HTTP',
    defects: [
      {
        name: 'the native asset instead',
        spoil: ({ draft }) => void (draft.contract = new Address(NATIVE).toScAddress()),
      },
      {
        name: 'an account in place of the contract',
        spoil: ({ draft }, { stranger }) =>
          void (draft.contract = new Address(stranger.publicKey()).toScAddress()),
      },
      {
        name: 'requirements that name another asset',
        spoil: ({ request }) => void (request.paymentRequirements.asset = NATIVE),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_wrong_function_name',
    reached: 'HTTP',
    defects: [
      { name: 'burn', spoil: ({ draft }) => void (draft.functionName = 'burn') },
      { name: 'Transfer', spoil: ({ draft }) => void (draft.functionName = 'Transfer') },
      { name: 'a fourth argument', spoil: ({ draft }) => void draft.args.push(i128(1n)) },
      {
        name: 'transfer_from with its spender',
        spoil({ draft }, { stranger }) {
          draft.functionName = 'transfer_from';
          draft.args.unshift(address(stranger.publicKey()));
        },
      },
      {
        name: 'two arguments',
        spoil: ({ draft }) => void (draft.args = draft.args.slice(0, 2)),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_facilitator_is_payer',
    reached: 'HTTP',
    defects: [
      {
        name: 'a submitter as payer',
        spoil: ({ draft }, { submitter }) => void (draft.args[0] = address(submitter)),
      },
      {
        name: 'the fee-bump account as payer',
        spoil: ({ draft }, { feeBump }) => void (draft.args[0] = address(feeBump)),
      },
      {
        name: 'a muxed form of a submitter as payer',
        spoil: ({ draft }, { submitter }) => void (draft.args[0] = address(muxed(submitter, '7'))),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_wrong_recipient',
    reached: 'HTTP',
    defects: [
      {
        name: 'a stranger as recipient',
        spoil: ({ draft }, { stranger }) => void (draft.args[1] = address(stranger.publicKey())),
      },
      {
        name: 'requirements that name another recipient',
        spoil: ({ request }, { stranger }) => void (request.paymentRequirements.payTo = stranger.publicKey()),
      },
      {
        name: 'the recipient as a string',
        spoil: ({ draft, request }) =>
          void (draft.args[1] = xdr.ScVal.scvString(request.paymentRequirements.payTo)),
      },
    ],
  },
  {
    code: 'invalid_exact_stellar_payload_wrong_amount',
    reached: 'HTTP',
    defects: [
      {
        name: 'one unit more',
        spoil: ({ draft, request }) => void (draft.args[2] = i128(asked(request) + 1n)),
      },
      {
        name: 'one unit less',
        spoil: ({ draft, request }) => void (draft.args[2] = i128(asked(request) - 1n)),
      },
      {
        name: 'the amount as u64',
        spoil: ({ draft, request }) => void (draft.args[2] = nativeToScVal(asked(request), { type: 'u64' })),
      },
      {
        name: 'requirements that ask for twice the amount',
        spoil: ({ request }) => void (request.paymentRequirements.amount = String(asked(request) * 2n)),
      },
    ],
  },
];

const asked = (request: Attempt['request']) => BigInt(request.paymentRequirements.amount);

function classicPayment(): xdr.Operation {
  return Operation.payment({ destination: USDC_ISSUER, asset: Asset.native(), amount: '1' });
}
