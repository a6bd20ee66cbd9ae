/**
 * Supports muxed contracts, which the SDK does not know yet (CAP-84, protocol 30): arm 5 of ScAddress. Once this module
 * is loaded, the SDK reads and writes the arm wherever an address may appear. SDK 17.3.0 has both this and the text:
 * remove this file and muxedContractText.ts when you move to it. `test/stellar/muxedContract.test.ts` fails as soon as
 * the SDK knows the arm by itself.
 */
import { StrKey, xdr } from '@stellar/stellar-sdk';
import type { MuxedContract } from './muxedContractText.ts';

const ARM = 5;

/** The parts of the SDK's reader and writer that are used here. */
interface Reader {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readInt32(path: string): number;
}
interface Writer {
  writeInt32(value: number): void;
}
interface Schema {
  _read(reader: Reader, path: string): unknown;
  _write(value: unknown, writer: Writer, path: string): void;
}
interface Wire {
  readonly type: number;
  readonly muxed?: Parameters<typeof xdr.MuxedEd25519Account.fromXdrObject>[0];
}

/** A muxed account has the same layout: an id, and 32 bytes. */
const payload = xdr.MuxedEd25519Account;
const payloadSchema = payload.schema as unknown as Schema;

const Base = xdr.ScAddress as unknown as new () => object;

/** The arm as the SDK would have it, except for its `type`. */
class ScAddressMuxedContract extends Base {
  readonly type = 'scAddressTypeMuxedContract';
  readonly contractId: Uint8Array;
  readonly id: bigint;

  constructor(contractId: Uint8Array, id: bigint) {
    super();
    this.contractId = contractId;
    this.id = id;
  }

  toXdrObject(): Wire {
    const ed25519 = this.contractId;
    return { type: ARM, muxed: { id: this.id, ed25519 } };
  }
}

function teachTheSdk(): void {
  const union = xdr.ScAddress as unknown as { schema: Schema; fromXdrObject(wire: Wire): object };
  const { schema, fromXdrObject } = union;
  const read = schema._read.bind(schema);
  const write = schema._write.bind(schema);
  schema._read = (reader, path) => {
    if (nextInt32(reader) !== ARM) return read(reader, path);
    return { type: reader.readInt32(path), muxed: payloadSchema._read(reader, path) };
  };
  schema._write = (value, writer, path) => {
    const { type, muxed } = value as Wire;
    if (type !== ARM) return write(value, writer, path);
    writer.writeInt32(ARM);
    payloadSchema._write(muxed, writer, path);
  };
  union.fromXdrObject = (wire) => {
    if (wire.type !== ARM || wire.muxed === undefined) return fromXdrObject.call(union, wire);
    const { ed25519, id } = payload.fromXdrObject(wire.muxed);
    return new ScAddressMuxedContract(ed25519.value, id);
  };
}

/** Returns the next number without consuming it; undefined at the end of the bytes. */
function nextInt32({ bytes, offset }: Reader): number | undefined {
  const next = bytes.subarray(offset, offset + 4);
  return next.length < 4 ? undefined : Buffer.from(next).readInt32BE();
}

teachTheSdk();

/** Returns undefined for every other kind of address. */
export function muxedContractIn(address: unknown): MuxedContract | undefined {
  if (!(address instanceof ScAddressMuxedContract)) return undefined;
  return { contract: StrKey.encodeContract(address.contractId), id: address.id };
}

export function muxedContractAddress({ contract, id }: MuxedContract): xdr.ScAddress {
  const address: unknown = new ScAddressMuxedContract(StrKey.decodeContract(contract), id);
  return address as xdr.ScAddress;
}
