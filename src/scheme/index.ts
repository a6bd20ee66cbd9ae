/** The exact scheme on Stellar: verify, settle, and what a service needs to set it up. */
export { PASSPHRASES, type Network } from './networks.ts';
export type { SchemeRequest } from './payment.ts';
export { createRpc, type Rpc } from './rpc.ts';
export type { SchemeLog } from './log.ts';
export { createScheme, type Scheme, type SchemeDeps } from './scheme.ts';
export { signerFromSecret, type Signer } from './signer.ts';
