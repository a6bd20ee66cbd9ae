/** Deploys contracts without a transaction: the host runs the deployment, and the ledger keeps what it makes. */
import {
  Account,
  Address,
  Contract,
  Operation,
  TransactionBuilder,
  xdr,
  type Asset,
} from '@stellar/stellar-sdk';
import { pack } from '../bytes.ts';
import { readModule, type ContractName } from '../contracts/built.ts';
import { sha256 } from '../protocol.ts';
import type { Chain } from './chain.ts';
import { isClassic } from './keys.ts';
import { storedEntry } from './state.ts';

/** Long enough for contracts to outlive any run of the sandbox. */
const LIFETIME_LEDGERS = 3_000_000;

export function deployAsset(chain: Chain, asset: Asset): void {
  run(chain, Operation.createStellarAssetContract({ asset }));
}

/** Deploys one of the built contracts, at an address that follows from the salt. Returns that address. */
export function deployContract(
  chain: Chain,
  name: ContractName,
  args: readonly xdr.ScVal[],
  salt: number,
): string {
  const wasm = readModule(name);
  run(chain, Operation.uploadContractWasm({ wasm }));
  const created = run(
    chain,
    Operation.createCustomContract({
      address: new Address(chain.assets.USDC.asset.getIssuer()!),
      wasmHash: sha256(wasm),
      salt: sha256(pack(salt)),
      constructorArgs: [...args],
    }),
  );
  return Address.fromScVal(created).toString();
}

/** Calls a contract's function. */
export function invokeContract(
  chain: Chain,
  contract: string,
  name: string,
  args: readonly xdr.ScVal[],
): void {
  run(chain, new Contract(contract).call(name, ...args));
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
  if (done.type !== 'succeeded') throw new Error(`the call failed: ${done.error}`);
  for (const { key, after } of done.changes) {
    const name = key.toString('base64');
    if (after === undefined) state.delete(name);
    else
      state.set(
        name,
        storedEntry(
          after,
          sequence,
          isClassic(xdr.LedgerKey.fromXdr(key)) ? null : sequence + LIFETIME_LEDGERS,
        ),
      );
  }
  return xdr.ScVal.fromXdr(done.value);
}
