/** Payments made by the clients that are out there: the stock x402 client and the contract client of the newer SDK. */
import { contract, nativeToScVal, type Keypair } from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/client';
import type { PaymentRequirements } from '../../src/contract/index.ts';
import { NETWORK, PASSPHRASE } from './payments.ts';

/** The stock client's payment (stellar-sdk 14). It needs an https RPC. Base64 XDR. */
export async function stockTransfer(
  key: Keypair,
  requirements: PaymentRequirements,
  httpsUrl: string,
): Promise<string> {
  const client = new ExactStellarScheme(createEd25519Signer(key.secret(), NETWORK), { url: httpsUrl });
  const { payload } = await client.createPaymentPayload(2, requirements as never);
  return (payload as { transaction: string }).transaction;
}

/** A payment by the contract client of stellar-sdk 17, which records V2 credentials (CAP-71) unless told otherwise. */
export async function contractClientTransfer(
  key: Keypair,
  requirements: PaymentRequirements,
  {
    httpsUrl,
    expiration,
    useUpgradedAuth,
  }: { httpsUrl: string; expiration: number; useUpgradedAuth: boolean },
): Promise<string> {
  const { payTo, asset, amount } = requirements;
  const party = (text: string) => nativeToScVal(text, { type: 'address' });
  const transfer = await contract.AssembledTransaction.build({
    contractId: asset,
    method: 'transfer',
    args: [party(key.publicKey()), party(payTo), nativeToScVal(BigInt(amount), { type: 'i128' })],
    networkPassphrase: PASSPHRASE,
    rpcUrl: httpsUrl,
    useUpgradedAuth,
    parseResultXdr: (result) => result,
  });
  const { signAuthEntry } = contract.basicNodeSigner(key, PASSPHRASE);
  await transfer.signAuthEntries({ address: key.publicKey(), signAuthEntry, expiration });
  await transfer.simulate();
  return transfer.built!.toXDR();
}
