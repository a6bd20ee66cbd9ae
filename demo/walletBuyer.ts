/** A buyer whose account is a contract: the stock client, with a scheme that lets the contract's own keys sign. */
import { Address, authorizeEntry, contract, nativeToScVal, Networks } from '@stellar/stellar-sdk';
import { wrapFetchWithPayment, x402Client, type PaymentRequirements } from '@x402/fetch';
import type { Wallet } from '../sandbox/contracts/wallets.ts';
import { spendControls, TESTNET } from './buyer.ts';

/** Ledgers until an authorization expires. The demo closes one every second. */
const EXPIRES_IN_LEDGERS = 30;

/** A `fetch` that pays from the wallet. `rpcUrl` must be https. */
export function createWalletBuyer(wallet: Wallet, rpcUrl: string): typeof fetch {
  const client = new x402Client()
    .register(TESTNET.network, {
      scheme: 'exact',
      createPaymentPayload: async (x402Version, terms) => ({
        x402Version,
        payload: { transaction: await signedTransfer(wallet, terms, rpcUrl) },
      }),
    })
    .setSpendControls(spendControls(TESTNET));
  return wrapFetchWithPayment(fetch, client);
}

/** Base64 XDR. */
async function signedTransfer(
  wallet: Wallet,
  { asset, payTo, amount }: PaymentRequirements,
  rpcUrl: string,
): Promise<string> {
  const transfer = await contract.AssembledTransaction.build({
    contractId: asset,
    method: 'transfer',
    args: [
      new Address(wallet.address).toScVal(),
      new Address(payTo).toScVal(),
      nativeToScVal(BigInt(amount), { type: 'i128' }),
    ],
    networkPassphrase: Networks.TESTNET,
    rpcUrl,
    parseResultXdr: (result) => result,
  });
  const { simulation } = transfer;
  if (simulation === undefined) throw new Error('the transfer was not simulated');
  await transfer.signAuthEntries({
    address: wallet.address,
    expiration: simulation.latestLedger + EXPIRES_IN_LEDGERS,
    authorizeEntry: (entry, _signer, expiration) =>
      authorizeEntry(
        entry,
        async (_preimage, payload) => ({
          signatureScVal: wallet.sign(Buffer.from(payload)),
          address: wallet.address,
        }),
        expiration,
        Networks.TESTNET,
      ),
  });
  return transfer.built!.toXDR();
}
