/** The local network, the service on it, and wallets that pay there. */
import type { xdr } from '@stellar/stellar-sdk';
import { onTestFinished } from 'vitest';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  isRefusal,
  readTerms,
  signerFromSecret,
  WALLET_LIMITS,
  type AuthorizationSigner,
  type SignedPayment,
  type SpendLimits,
  type SpendPolicy,
  type Terms,
  type Wallet,
} from '../../../../src/agent/wallet/index.ts';
import { NETWORK, PASSPHRASE, requirementsFor, USDC } from '../../../support/payments.ts';
import { useStage } from '../../../support/serviceStage.ts';

export type Assembled = SignedPayment & { transaction: string };

export interface TestWallet extends Wallet {
  policy: SpendPolicy;
  /** Signs, and assembles what was signed. */
  pay(terms: Terms): Promise<Assembled>;
}

export const LIMITS: SpendLimits = {
  maxAmount: 10_000_000n,
  sessionBudget: 100_000_000n,
  allowedAssets: [USDC],
};

export function useWalletStage() {
  const stage = useStage({ withFeeBump: false });

  const newSigner = (): AuthorizationSigner => signerFromSecret(stage.sandbox.account().secret());

  return {
    stage,
    newSigner,
    /** Until the test ends. */
    walletOf(signer: AuthorizationSigner, limits: Partial<SpendLimits> = {}, now = Date.now): TestWallet {
      const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
      onTestFinished(() => rpc.close());
      const deps = { rpc, now, limits: WALLET_LIMITS };
      const policy = createSpendPolicy({ ...LIMITS, ...limits });
      const wallet = createWallet({ ...deps, network: NETWORK, signer, pace: createPace(deps), policy });
      return { ...wallet, policy, pay: (terms) => pay(wallet, terms) };
    },
    /** What signs for an account, and counts how often. */
    countingSigner() {
      const signer = newSigner();
      const counted = {
        ...signer,
        signatures: 0,
        signAuthorization(hash: Uint8Array, entry: xdr.SorobanAuthorizationEntry) {
          counted.signatures += 1;
          return signer.signAuthorization(hash, entry);
        },
      };
      return counted;
    },
    termsFor(changes: object = {}): Terms {
      const terms = readTerms(requirementsFor(stage.sandbox.account(0n).publicKey(), changes), NETWORK);
      if (isRefusal(terms)) throw new Error(terms.message);
      return terms;
    },
  };
}

async function pay(wallet: Wallet, terms: Terms): Promise<Assembled> {
  const payment = await wallet.sign(terms);
  if (isRefusal(payment)) throw new Error(payment.message);
  const assembled = await wallet.assemble(payment);
  if (isRefusal(assembled)) throw new Error(assembled.message);
  return { ...payment, ...assembled };
}
