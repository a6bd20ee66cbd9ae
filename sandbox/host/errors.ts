/** The host's errors, as the network names them: `Error(Auth, InvalidAction)`, `Error(Contract, #10)`. */
import { xdr } from '@stellar/stellar-sdk';

type WithoutPrefix<Name, Prefix extends string> = Name extends `${Prefix}${infer Rest}` ? Rest : never;
export type ErrorType = Exclude<WithoutPrefix<xdr.ScError['type'], 'sce'>, 'Contract'>;
export type ErrorCode = WithoutPrefix<xdr.ScErrorCode['name'], 'scec'>;

/** Ends an invocation. Thrown inside the host only; an execution's outcome carries it as a value. */
export class HostError extends Error {
  readonly error: xdr.ScError;

  constructor(error: xdr.ScError) {
    super(`HostError: ${errorText(error)}`);
    this.error = error;
  }
}

export function errorOf(type: ErrorType, code: ErrorCode): xdr.ScError {
  return xdr.ScError[`sce${type}`](xdr.ScErrorCode[`scec${code}`]);
}

/** Error numbers of the asset contract and of account authentication (CAP-46-06). */
export const CONTRACT_ERRORS = {
  operationNotSupported: 2,
  authentication: 5,
  accountMissing: 6,
  negativeAmount: 8,
  allowance: 9,
  balance: 10,
  balanceDeauthorized: 11,
  overflow: 12,
  trustlineMissing: 13,
  insufficientReserve: 14,
} as const;

export function contractError(name: keyof typeof CONTRACT_ERRORS): xdr.ScError {
  return xdr.ScError.sceContract(CONTRACT_ERRORS[name]);
}

export function errorText(error: xdr.ScError): string {
  if (error.type === 'sceContract') return `Error(Contract, #${error.contractCode})`;
  return `Error(${error.type.slice('sce'.length)}, ${error.code.name.slice('scec'.length)})`;
}

/** An access outside of the footprint ends everything: no caller may treat it as its callee's error. */
export function isRecoverable(error: xdr.ScError): boolean {
  return !(error.type === 'sceStorage' && error.code === xdr.ScErrorCode.scecExceededLimit);
}
