import { xdr } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { checkInstructions } from '../../src/scheme/verify/checks/instructions.ts';
import { codeKeysIn, createCodeCost, instructionsIn } from '../../src/scheme/verify/contractCode.ts';
import {
  ASSUMED_INSTRUCTION_LIMIT,
  LOWEST_INSTRUCTION_LIMIT,
  MAX_CODES_PER_PAYMENT,
  MAX_CODES_PER_READ,
} from '../../src/scheme/limits.ts';
import type { Rpc } from '../../src/stellar/rpc/pool.ts';

const keyOf = (number: number): string =>
  xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: Buffer.alloc(32, number) })).toXdr(
    'base64',
  );

interface Items {
  nInstructions: number;
  nFunctions: number;
}

/** Code of so many bytes; without items, as it was before they were counted. */
function codeEntry(bytes: number, items?: Items): string {
  const none = {
    nGlobals: 0,
    nTableEntries: 0,
    nTypes: 0,
    nDataSegments: 0,
    nElemSegments: 0,
    nImports: 0,
    nExports: 0,
    nDataSegmentBytes: 0,
  };
  const zero = xdr.ExtensionPoint.v0();
  const counted = (counts: Items) =>
    xdr.ContractCodeEntryExt.v1(
      new xdr.ContractCodeEntryV1({
        ext: zero,
        costInputs: new xdr.ContractCodeCostInputs({ ext: zero, ...none, ...counts }),
      }),
    );
  const ext = items === undefined ? xdr.ContractCodeEntryExt.v0() : counted(items);
  const code = Buffer.alloc(bytes);
  return xdr.LedgerEntryData.contractCode(
    new xdr.ContractCodeEntry({ ext, hash: Buffer.alloc(32), code }),
  ).toXdr('base64');
}

/** An RPC that has these entries, by key, and what it was asked for. */
function rpcWith(entryOf: (key: string) => string | undefined): { rpc: Rpc; asked: string[][] } {
  const asked: string[][] = [];
  const call = async (_method: string, { keys }: { keys: string[] }) => {
    asked.push(keys);
    return {
      entries: keys.flatMap((key) => (entryOf(key) === undefined ? [] : { key, xdr: entryOf(key)! })),
    };
  };
  return { rpc: { call } as unknown as Rpc, asked };
}

test('code costs the more to read the more of it there is', async () => {
  const [small, large, uncounted] = [keyOf(1), keyOf(2), keyOf(3)];
  const entries: Record<string, string> = {
    [small]: codeEntry(1_000, { nInstructions: 100, nFunctions: 5 }),
    [large]: codeEntry(14_000, { nInstructions: 5_000, nFunctions: 170 }),
    [uncounted]: codeEntry(14_000),
  };
  const { rpc } = rpcWith((key) => entries[key]);
  const codeCost = createCodeCost(rpc);
  const costs = [await codeCost([small], 'verifying'), await codeCost([large], 'verifying')];
  expect(costs).toEqual([169_513, 2_580_960]);
  expect(await codeCost([small, large], 'verifying')).toBe(costs[0]! + costs[1]!);
  expect(await codeCost([uncounted], 'verifying')).toBe(6_588_431);
});

test('the same code is asked for once, and code that the RPC does not know or cannot tell costs nothing', async () => {
  const { rpc, asked } = rpcWith((key) =>
    key === keyOf(1) ? codeEntry(100) : key === keyOf(2) ? 'junk' : undefined,
  );
  const codeCost = createCodeCost(rpc);
  await codeCost([keyOf(1)], 'verifying');
  await codeCost([keyOf(1)], 'settling');
  expect(asked).toEqual([[keyOf(1)]]);
  expect(await codeCost([keyOf(2), keyOf(3)], 'verifying')).toBe(0);
});

test('a payment that calls very many contracts makes no answer too large, and no more than a few calls', async () => {
  const { rpc, asked } = rpcWith(() => codeEntry(100));
  await createCodeCost(rpc)(
    Array.from({ length: 100 }, (_, number) => keyOf(number)),
    'verifying',
  );
  expect(Math.max(...asked.map(({ length }) => length))).toBe(MAX_CODES_PER_READ);
  expect(asked.flat()).toHaveLength(MAX_CODES_PER_PAYMENT);
});

function transactionData(instructions: number, keys: string[] = []): string {
  const footprint = new xdr.LedgerFootprint({
    readOnly: keys.map((key) => xdr.LedgerKey.fromXdr(key, 'base64')),
    readWrite: [],
  });
  const resources = new xdr.SorobanResources({ footprint, instructions, diskReadBytes: 0, writeBytes: 0 });
  const ext = xdr.SorobanTransactionDataExt.v0();
  return new xdr.SorobanTransactionData({ ext, resources, resourceFee: 0n }).toXdr('base64');
}

test('what a transaction runs and may use is read from its data, and not known if that cannot be read', () => {
  const data = transactionData(7, [keyOf(1), keyOf(2)]);
  expect([codeKeysIn(data), instructionsIn(data)]).toEqual([[keyOf(1), keyOf(2)], 7]);
  expect([codeKeysIn('junk'), instructionsIn('junk')]).toEqual([undefined, undefined]);
});

function limitEntry(limit: number): string {
  const compute = new xdr.ConfigSettingContractComputeV0({
    ledgerMaxInstructions: 0n,
    txMaxInstructions: BigInt(limit),
    feeRatePerInstructionsIncrement: 0n,
    txMemoryLimit: 0,
  });
  return xdr.LedgerEntryData.configSetting(
    xdr.ConfigSettingEntry.configSettingContractComputeV0(compute),
  ).toXdr('base64');
}

test('a payment that may need more instructions than the network allows is refused; the limit is asked for near it', async () => {
  const check = (instructions: number, entry: string | undefined) => {
    const { rpc, asked } = rpcWith(() => entry);
    return checkInstructions({ rpc, purpose: 'verifying' }, transactionData(instructions)).then((refusal) => [
      refusal?.code,
      asked.length,
    ]);
  };
  const refused = 'invalid_exact_stellar_payload_simulation_failed';
  const limit = 2 * LOWEST_INSTRUCTION_LIMIT;
  expect(await check(LOWEST_INSTRUCTION_LIMIT, limitEntry(limit))).toEqual([undefined, 0]);
  expect(await check(limit, limitEntry(limit))).toEqual([undefined, 1]);
  expect(await check(limit + 1, limitEntry(limit))).toEqual([refused, 1]);
  expect(await check(ASSUMED_INSTRUCTION_LIMIT, undefined)).toEqual([undefined, 1]);
  expect(await check(ASSUMED_INSTRUCTION_LIMIT + 1, 'junk')).toEqual([refused, 1]);
});
