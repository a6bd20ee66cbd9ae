/** Deploys and calls contracts over Stellar RPC alone, so it works on every network with an RPC. */
import {
  Address,
  BASE_FEE,
  Contract,
  hash,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
  type Keypair,
  type Transaction,
} from '@stellar/stellar-sdk';
import { readModule, type ContractName } from './built.ts';

/** The longest wait for a transaction's ledger, and the pause between two questions to the RPC. */
const MAX_WAIT_MS = 30_000;
const POLL_INTERVAL_MS = 25;
/** The ledger may have to read a constructor's code again; the simulation does not count that. */
const LEEWAY_INSTRUCTIONS = 20_000_000;

/** A transaction on its way. */
export interface Sent {
  /** Resolves to its return value once a ledger holds it. */
  ended: Promise<xdr.ScVal>;
}

export interface Contracts {
  /** Returns the address of a new contract (C…); `args` go to its constructor. */
  deploy(name: ContractName, args?: readonly xdr.ScVal[]): Promise<string>;
  /** Uploads a module, and returns its hash. */
  upload(name: ContractName): Promise<Uint8Array>;
  /** Calls a contract's function in a transaction, and returns its return value. */
  invoke(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<xdr.ScVal>;
  /** The same, but returns once the network has accepted the transaction, before a ledger holds it. */
  send(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<Sent>;
  /** Returns what a function would return. */
  read(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<xdr.ScVal>;
}

/** Takes as `funder` an account with lumens that pays for everything. Its transactions go one after the other. */
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
    if (status !== 'PENDING') throw new Error(`the network did not accept the transaction: ${status}`);
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
        // An account never uses a sequence number twice, so this address is new.
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

/** Waits until a ledger holds the transaction, and returns its return value. */
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
