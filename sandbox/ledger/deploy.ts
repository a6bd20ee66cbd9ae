/** Contracts out of thin air: the host runs what would deploy them, and the ledger keeps what that makes. */
import { Account, Address, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk';
import type { Asset } from '@stellar/stellar-sdk';
import { sha256 } from '../protocol.ts';
import type { Chain } from './chain.ts';
import { storedEntry } from './state.ts';

/** What is deployed so outlives any run of the sandbox. */
const LIFETIME_LEDGERS = 3_000_000;

export function deployAsset(chain: Chain, asset: Asset): void {
  run(chain, Operation.createStellarAssetContract({ asset }));
}

/**
 * A contract account for one ed25519 key, in WebAssembly by hand: its constructor stores the key (32 bytes), and
 *   __check_auth(payload, signature, contexts) = verify_sig_ed25519(get_contract_data(0), payload, signature)
 */
const CONTRACT_ACCOUNT = Buffer.from(
  'AGFzbQEAAAABEwNgAX4BfmACfn4BfmADfn5+AX4CEwMBbAFfAAIBbAExAAEBYwEwAAIDAwIAAgcgAg1fX2NvbnN0cnVjdG9yAAMMX19jaGVja19h' +
    'dXRoAAQKGwIKAEIEIABCAhAACw4AQgRCAhABIAAgARACCwAeEWNvbnRyYWN0ZW52bWV0YXYwAAAAAAAAABYAAAAA',
  'base64',
);

/** Deploys the account of a key, whose signatures are 64 bytes (`scvBytes`). Returns its address. */
export function deployContractAccount(chain: Chain, publicKey: Uint8Array): string {
  run(chain, Operation.uploadContractWasm({ wasm: CONTRACT_ACCOUNT }));
  const created = run(
    chain,
    Operation.createCustomContract({
      address: new Address(chain.assets.USDC.asset.getIssuer()!),
      wasmHash: sha256(CONTRACT_ACCOUNT),
      salt: sha256(publicKey),
      constructorArgs: [xdr.ScVal.scvBytes(publicKey)],
    }),
  );
  return Address.fromScVal(created).toString();
}

function run(chain: Chain, operation: xdr.Operation): xdr.ScVal {
  const { state, network, history } = chain;
  const { sequence } = history.latest();
  const source = new Account(chain.assets.USDC.asset.getIssuer()!, '0');
  const transaction = new TransactionBuilder(source, { fee: '100', networkPassphrase: network.passphrase })
    .addOperation(operation)
    .setTimeout(0)
    .build();
  const envelope = Buffer.from(transaction.toXdr(), 'base64');
  const at = { sequence, seconds: Math.floor(history.latest().closedAtMs / 1000) };
  const done = chain.host().simulate(envelope, at, { kind: 'record', upgraded: false }, 0);
  if (done.type !== 'succeeded') throw new Error(`a contract was not deployed: ${done.error}`);
  for (const { key, after } of done.changes) {
    if (after) state.set(key.toString('base64'), storedEntry(after, sequence, sequence + LIFETIME_LEDGERS));
  }
  return xdr.ScVal.fromXdr(done.value);
}
