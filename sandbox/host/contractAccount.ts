/**
 * The sandbox's contract account: an address without an account that pays by its own rule. Its `__check_auth`
 * wants 64 bytes, the ed25519 signature of one key over the payload's hash, and traps otherwise. The sandbox
 * runs the check itself, in place of the contract's code, with the events of the host's virtual machine.
 */
import { xdr } from '@stellar/stellar-sdk';
import { codeKey, instanceKey } from '../ledger/keys.ts';
import { contractValueOf } from '../ledger/state.ts';
import { sha256 } from '../protocol.ts';
import { errorOf, HostError } from './errors.ts';
import { failMissing } from './host.ts';
import type { Host } from './host.ts';
import { isSignedBy } from './signatures.ts';
import { addressValue, bytes, fieldOf, map, sameBytes, string, symbol, vec, VOID } from './values.ts';
import type { Value } from './values.ts';

/** What the ledger holds as the contract's code. */
export const CONTRACT_ACCOUNT_CODE = Buffer.from('sandbox contract account: one ed25519 key');
export const CONTRACT_ACCOUNT_CODE_HASH = sha256(CONTRACT_ACCOUNT_CODE);
const KEY_FIELD = 'public_key';
const SIGNATURE_BYTES = 64;
const CHECK_AUTH = symbol('__check_auth');

/** The instance that a contract account keeps in the ledger. */
export function contractAccountInstance(publicKey: Uint8Array): Value {
  return xdr.ScVal.scvContractInstance(
    new xdr.ScContractInstance({
      executable: xdr.ContractExecutable.contractExecutableWasm(CONTRACT_ACCOUNT_CODE_HASH),
      storage: [new xdr.ScMapEntry({ key: symbol(KEY_FIELD), val: bytes(publicKey) })],
    }),
  );
}

/** The key that a contract account's instance holds; undefined for other contracts. */
export function contractAccountKeyOf(instance: Value): Uint8Array | undefined {
  if (instance.type !== 'scvContractInstance') return undefined;
  const { executable, storage } = instance.instance;
  if (executable.type !== 'contractExecutableWasm') return undefined;
  if (!sameBytes(executable.wasmHash.value, CONTRACT_ACCOUNT_CODE_HASH)) return undefined;
  const key = fieldOf(xdr.ScVal.scvMap(storage), KEY_FIELD);
  return key?.type === 'scvBytes' ? key.bytes.value : undefined;
}

/** Calls a contract's `__check_auth` with the payload's hash, the signature and the calls that it authorizes. */
export function checkContractAuth(
  host: Host,
  contract: xdr.ScAddressContract,
  payload: Uint8Array,
  signature: Value,
  authorized: xdr.InvokeContractArgs[],
): void {
  const args = vec(bytes(payload), signature, vec(...authorized.map(contextValue)));
  host.emit('diagnostic', [symbol('fn_call'), bytes(contract.contractId.value), CHECK_AUTH], args);
  const publicKey = readPublicKey(host, contract);
  host.inFrame(contract.contractId, () => {
    checkSignature(host, publicKey, payload, signature);
    host.emit('diagnostic', [symbol('fn_return'), CHECK_AUTH], VOID);
  });
}

/** Fails as the host does for a contract address without code, and for one whose contract checks nothing. */
function readPublicKey(host: Host, contract: xdr.ScAddress): Uint8Array {
  const instance = instanceKey(contract);
  const value = contractValueOf(host.read(instance)) ?? failMissing(host, instance);
  const publicKey = contractAccountKeyOf(value);
  if (!publicKey) throw new HostError(errorOf('Context', 'InvalidAction'));
  const code = codeKey(CONTRACT_ACCOUNT_CODE_HASH);
  if (!host.read(code)) failMissing(host, code);
  return publicKey;
}

function checkSignature(host: Host, publicKey: Uint8Array, payload: Uint8Array, signature: Value): void {
  if (signature.type !== 'scvBytes' || signature.bytes.value.length !== SIGNATURE_BYTES) {
    host.fail(errorOf('WasmVm', 'InvalidAction'), 'VM call trapped: UnreachableCodeReached', CHECK_AUTH);
  }
  host.meter.signatureChecks++;
  if (isSignedBy(publicKey, payload, signature.bytes.value)) return;
  const error = errorOf('Crypto', 'InvalidInput');
  host.report(error, 'failed ED25519 verification');
  host.report(error, 'escalating error to VM trap from failed host function call: verify_sig_ed25519');
  const log = vec(string('VM call trapped with HostError'), CHECK_AUTH, xdr.ScVal.scvError(error));
  host.emit('diagnostic', [symbol('log')], log);
  throw new HostError(error);
}

function contextValue({ contractAddress, functionName, args }: xdr.InvokeContractArgs): Value {
  const call = map({
    args: vec(...args),
    contract: addressValue(contractAddress),
    fn_name: symbol(functionName),
  });
  return vec(symbol('Contract'), call);
}
