/** Puts contracts onto a network and calls them, over Stellar RPC alone: so it works wherever there is such an RPC. */
import {
  Address,
  BASE_FEE,
  Contract,
  hash,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk';
import type { Keypair, Transaction } from '@stellar/stellar-sdk';
import { readModule } from './built.ts';
import type { ContractName } from './built.ts';

/** How long a transaction may wait for its ledger, and how often it is asked for. */
const MAX_WAIT_MS = 30_000;
const POLL_INTERVAL_MS = 25;
/** A constructor's code may have to be read anew on the ledger, which the simulation does not count. */
const LEEWAY_INSTRUCTIONS = 20_000_000;

/** A transaction on its way. */
export interface Sent {
  /** When a ledger has it: what it returned. */
  ended: Promise<xdr.ScVal>;
}

export interface Contracts {
  /** A new contract (C…); `args` are its constructor's. */
  deploy(name: ContractName, args?: readonly xdr.ScVal[]): Promise<string>;
  /** Puts a module onto the ledger; its hash. */
  upload(name: ContractName): Promise<Uint8Array>;
  /** Calls a contract's function in a transaction; what it returned. */
  invoke(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<xdr.ScVal>;
  /** The same, once the network has taken the transaction and before a ledger has. */
  send(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<Sent>;
  /** What a function would return. */
  read(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<xdr.ScVal>;
}

/** `funder`: an account with lumens that pays for it all. Its transactions go one after the other. */
export function createContracts({ rpcUrl, funder }: { rpcUrl: string; funder: Keypair }): Contracts {
  const server = new rpc.Server(rpcUrl, { allowHttp: true });
  const network = server.getNetwork();
  let last: Promise<unknown> = Promise.resolve();

  const build = async (operation: (sequence: string) => xdr.Operation): Promise<Transaction> => {
    const { passphrase } = await network;
    const source = await server.getAccount(funder.publicKey());
    return new TransactionBuilder(source, { fee: BASE_FEE, networkPassphrase: passphrase })
      .addOperation(operation(source.sequenceNumber()))
      .setTimeout(0)
      .build();
  };
  const sendOne = async (operation: (sequence: string) => xdr.Operation): Promise<Sent> => {
    const transaction = await build(operation);
    const simulation = await server.simulateTransaction(transaction, {
      cpuInstructions: LEEWAY_INSTRUCTIONS,
    });
    if (rpc.Api.isSimulationError(simulation)) throw new Error(simulation.error);
    const prepared = rpc.assembleTransaction(transaction, simulation).build();
    prepared.sign(funder);
    const { status, hash: id } = await server.sendTransaction(prepared);
    if (status !== 'PENDING') throw new Error(`the network did not take the transaction: ${status}`);
    return { ended: ended(server, id) };
  };
  const send = (operation: (sequence: string) => xdr.Operation): Promise<Sent> => {
    const sent = last.then(() => sendOne(operation));
    last = sent.then(({ ended }) => ended).catch(() => {});
    return sent;
  };
  const submit = async (operation: (sequence: string) => xdr.Operation): Promise<xdr.ScVal> =>
    (await send(operation)).ended;
  const uploads = new Map<ContractName, Promise<Uint8Array>>();
  const upload = (name: ContractName): Promise<Uint8Array> => {
    const wasm = readModule(name);
    const known =
      uploads.get(name) ?? submit(() => Operation.uploadContractWasm({ wasm })).then(() => hash(wasm));
    uploads.set(name, known);
    return known;
  };

  return {
    upload,
    async deploy(name, args = []) {
      const wasmHash = await upload(name);
      const address = Address.fromString(funder.publicKey());
      const created = await submit((sequence) =>
        // An account's sequence numbers never come again, so this address is new.
        Operation.createCustomContract({
          address,
          wasmHash,
          constructorArgs: [...args],
          salt: hash(Buffer.from(sequence)),
        }),
      );
      return Address.fromScVal(created).toString();
    },
    send: (contract, functionName, ...args) => send(() => new Contract(contract).call(functionName, ...args)),
    invoke: (contract, functionName, ...args) =>
      submit(() => new Contract(contract).call(functionName, ...args)),
    async read(contract, functionName, ...args) {
      const simulation = await server.simulateTransaction(
        await build(() => new Contract(contract).call(functionName, ...args)),
      );
      if (rpc.Api.isSimulationError(simulation)) throw new Error(simulation.error);
      return simulation.result!.retval;
    },
  };
}

/** Waits until the ledger has a transaction; what it returned. */
async function ended(server: rpc.Server, id: string): Promise<xdr.ScVal> {
  for (const start = performance.now(); performance.now() - start < MAX_WAIT_MS;) {
    const found = await server.getTransaction(id);
    if (found.status === rpc.Api.GetTransactionStatus.SUCCESS)
      return found.returnValue ?? xdr.ScVal.scvVoid();
    if (found.status === rpc.Api.GetTransactionStatus.FAILED)
      throw new Error(`transaction ${id} failed: ${JSON.stringify(found.resultXdr)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`no ledger has transaction ${id}`);
}
