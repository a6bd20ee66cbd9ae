/**
 * Supports muxed contracts, which the SDK does not know yet (CAP-84, protocol 30): arm 5 of ScAddress, and its text,
 * `W…` (SEP-23). Once this module is loaded, the SDK reads and writes the arm wherever an address may appear. SDK
 * 17.3.0 has both: remove this file when you move to it. `test/stellar/muxedContract.test.ts` fails as soon as the SDK
 * knows the arm by itself.
 */
import { StrKey, xdr } from '@stellar/stellar-sdk';

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

/** A contract, and an id by which it tells payments apart. */
export interface MuxedContract {
  /** C…. */
  contract: string;
  id: bigint;
}

/** Returns undefined for every other kind of address. */
export function muxedContractIn(address: unknown): MuxedContract | undefined {
  if (!(address instanceof ScAddressMuxedContract)) return undefined;
  return { contract: StrKey.encodeContract(address.contractId), id: address.id };
}

export function muxedContractAddress({ contract, id }: MuxedContract): xdr.ScAddress {
  const address: unknown = new ScAddressMuxedContract(StrKey.decodeContract(contract), id);
  return address as xdr.ScAddress;
}

/** The layout of the strkey: a version byte, then the contract, the id, and a checksum. */
const VERSION = 22 << 3;
const CONTRACT_AT = 1;
const ID_AT = 33;
const CHECKSUM_AT = 41;
const LENGTH_BYTES = 43;
const LENGTH_CHARACTERS = 69;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the address as `W…`. */
export function encodeMuxedContract({ contract, id }: MuxedContract): string {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes[0] = VERSION;
  bytes.set(StrKey.decodeContract(contract), CONTRACT_AT);
  bytes.writeBigUInt64BE(id, ID_AT);
  bytes.writeUInt16LE(checksum(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return base32(bytes);
}

/** Returns undefined unless the text is exactly what encodeMuxedContract makes. */
export function decodeMuxedContract(text: string): MuxedContract | undefined {
  if (text.length !== LENGTH_CHARACTERS || !text.startsWith('W')) return undefined;
  const bytes = fromBase32(text);
  const muxed = {
    contract: StrKey.encodeContract(bytes.subarray(CONTRACT_AT, ID_AT)),
    id: bytes.readBigUInt64BE(ID_AT),
  };
  return encodeMuxedContract(muxed) === text ? muxed : undefined;
}

/** Encodes without padding (RFC 4648, section 6). */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)]!);
}

/** Decodes a text of LENGTH_CHARACTERS. A character outside the alphabet is read as `7`. */
function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((character) => (ALPHABET.indexOf(character) & 31).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
}

/** Returns the CRC-16/XMODEM. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
