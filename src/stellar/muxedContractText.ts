/** Reads and writes the text of muxed contracts, `W…` (SEP-23), which the SDK does not know yet. */
import { StrKey } from '@stellar/stellar-sdk';

/** A contract, and an id by which it tells payments apart. */
export interface MuxedContract {
  /** C…. */
  contract: string;
  id: bigint;
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
