/** A buyer's wallet for the exact scheme on Stellar: limits what it spends, signs payments, and follows them. */
export { readTerms, type Terms } from './terms.ts';
export { createPace } from './pace.ts';
export { createRpc, type Rpc } from './rpc.ts';
export { byPreference, createSpendPolicy } from './policy.ts';
export type { CallLimit, SpendLimits, SpendPolicy } from './policy.ts';
export { createWallet, type NotSigned, type SignedPayment, type Wallet } from './wallet.ts';
export { follow, type Followed, type PaymentEnd } from './follow.ts';
export { signerFromSecret, type AuthorizationSigner } from './signer.ts';
