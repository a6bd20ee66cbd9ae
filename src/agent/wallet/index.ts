/** A buyer's wallet for the exact scheme on Stellar: what it may spend, what it signs, and what became of it. */
export { baseUnits, readTerms, type Terms } from './terms.ts';
export { createPace } from './pace.ts';
export { createRpc, type Rpc } from './rpc.ts';
export { byPreference, createSpendPolicy } from './policy.ts';
export type { CallLimit, SpendLimits, SpendPolicy } from './policy.ts';
export { createWallet, type NotSigned, type SignedPayment, type Wallet } from './wallet.ts';
export { follow, type Followed, type PaymentEnd } from './follow.ts';
export { signerFromSecret, type AuthorizationSigner } from './signer.ts';
