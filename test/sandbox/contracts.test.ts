/** The sandbox runs any contract: stock SDKs upload, deploy and call one. */
import { contract, hash, Keypair, Networks, Operation, xdr, Address } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';

/**
 * By hand: `get() = get_contract_data(0)`, `put(value) = put_contract_data(0, value)`, in persistent storage, and the
 * custom section that says for which protocol it was made.
 */
const CONTRACT = wasmOf({
  types: ['60017e017e', '6000017e', '60027e7e017e', '60037e7e7e017e'],
  imports: [
    ['l', '_', 3],
    ['l', '1', 2],
  ],
  functions: [
    { name: 'put', type: 0, body: '4204' + '2000' + '4201' + '1000' },
    { name: 'get', type: 1, body: '4204' + '4201' + '1001' },
  ],
});

interface Wasm {
  types: string[];
  imports: [module: string, name: string, type: number][];
  functions: { name: string; type: number; body: string }[];
}

/** All counts and sizes are below 128: one byte each. */
function wasmOf({ types, imports, functions }: Wasm): Buffer {
  const bytes = (...parts: (number | string | Buffer)[]): Buffer =>
    Buffer.concat(
      parts.map((part) =>
        typeof part === 'number'
          ? Buffer.of(part)
          : typeof part === 'string'
            ? Buffer.from(part, 'hex')
            : part,
      ),
    );
  const sized = (part: Buffer) => bytes(part.length, part);
  const text = (value: string) => sized(Buffer.from(value));
  const section = (id: number, items: Buffer[]) => bytes(id, sized(bytes(items.length, ...items)));
  const environment = bytes(text('contractenvmetav0'), '000000000000001600000000');
  return bytes(
    '0061736d01000000',
    section(
      1,
      types.map((type) => bytes(type)),
    ),
    section(
      2,
      imports.map(([module, name, type]) => bytes(text(module), text(name), 0, type)),
    ),
    section(
      3,
      functions.map(({ type }) => bytes(type)),
    ),
    section(
      7,
      functions.map(({ name }, index) => bytes(text(name), 0, imports.length + index)),
    ),
    section(
      10,
      functions.map(({ body }) => sized(bytes(0, body, 0x0b))),
    ),
    bytes(0, sized(environment)),
  );
}

const deployer = Keypair.random();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ ledgerMs: 100 });
  sandbox.network.createAccount(deployer.publicKey(), 100_000_000_000n);
});
afterAll(() => sandbox.close());

const options = () => ({
  publicKey: deployer.publicKey(),
  networkPassphrase: Networks.TESTNET,
  rpcUrl: sandbox.url,
  allowHttp: true,
  parseResultXdr: (value: xdr.ScVal) => value,
  ...contract.basicNodeSigner(deployer, Networks.TESTNET),
});

/** Returns the value that a transaction's only operation returned. */
async function run(operation: xdr.Operation): Promise<xdr.ScVal> {
  const built = await contract.AssembledTransaction.buildWithOp(operation, {
    ...options(),
    contractId: 'ignored',
    method: 'ignored',
  });
  return (await built.signAndSend()).result;
}

test('a stock SDK uploads and deploys a contract, calls it, and reads what it stored', async () => {
  const uploaded = await run(Operation.uploadContractWasm({ wasm: CONTRACT }));
  const wasmHash = hash(CONTRACT);
  expect(uploaded).toEqual(xdr.ScVal.scvBytes(wasmHash));
  const address = new Address(deployer.publicKey());
  const created = await run(Operation.createCustomContract({ address, wasmHash }));
  const contractId = Address.fromScVal(created).toString();

  const call = (method: string, ...args: xdr.ScVal[]) =>
    contract.AssembledTransaction.build({ ...options(), contractId, method, args });
  await (await call('put', xdr.ScVal.scvU32(7))).signAndSend();
  expect((await call('get')).result).toEqual(xdr.ScVal.scvU32(7));
});
