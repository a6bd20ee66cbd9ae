/** A buyer's wallet for the exact scheme on Stellar: limits what it spends, signs payments, and follows them. */
export { readTerms, type Terms } from './terms.ts';
export { WALLET_LIMITS, type WalletLimits } from './limits.ts';
export { createPace } from './pace.ts';
export { createRpc, type Rpc } from './rpc.ts';
export { byPreference, createSpendPolicy } from './policy.ts';
export type { CallLimit, SpendingCall, SpendLimits, SpendPolicy } from './policy.ts';
export { openDailyBudgets, type DailyLimits } from './dailyBudgets.ts';
export { createWallet, type Wallet } from './wallet.ts';
export type { SignedPayment } from './payment.ts';
export { isRefusal, type Refusal } from './refusal.ts';
export { follow, type Followed } from './follow.ts';
export type { PaymentEnd } from './sightings.ts';
export { signerFromSecret, type AuthorizationSigner } from './signer.ts';
