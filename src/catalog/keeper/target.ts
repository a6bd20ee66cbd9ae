/** Says what a block covers. */
export interface BlockTarget {
  readonly kind: 'origin' | 'recipient';
  /** An origin, such as `https://api.example.com`, or a recipient's address. */
  readonly value: string;
}

/** The letters of an address, five bits each (RFC 4648). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ADDRESS = /^(?:[GC][A-Z2-7]{55}|[MW][A-Z2-7]{68})$/;
/** The first letter of muxed addresses, by that of the address that they stand for. */
const MUXED: Readonly<Record<string, string>> = { G: 'M', C: 'W' };
/** An address begins with its kind and its key: these letters, and four bits of the next one. */
const KEY_CHARACTERS = 52;
const KEY_BITS_OF_NEXT = 0b11110;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Returns the key that a recipient's address shares with its muxed forms, and with no other address. */
export function recipientKey(address: string): string {
  if (!isAddress(address)) return address;
  const [letter = ''] = Object.entries(MUXED).find(([, muxed]) => address.startsWith(muxed)) ?? address;
  const next = ALPHABET[ALPHABET.indexOf(address[KEY_CHARACTERS]!) & KEY_BITS_OF_NEXT];
  return `${letter}${address.slice(1, KEY_CHARACTERS)}${next}`;
}

/** Returns prefixes: every address with this key begins with one of them. Other addresses may, too. */
export function beginningsOf(key: string): string[] {
  const plain = key.slice(0, KEY_CHARACTERS);
  const muxed = MUXED[key[0] ?? ''];
  return muxed === undefined ? [plain] : [plain, muxed + plain.slice(1)];
}

/** Returns scheme, host and port of a resource's canonical URL. */
export function originOf(resource: string): string {
  return URL.parse(resource)?.origin ?? resource;
}

/** Reads an origin as people write it; undefined if it is not one. */
export function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash) return undefined;
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.origin;
}

/** Returns the text under which a block is stored. */
export function keyOfBlock({ kind, value }: BlockTarget): string {
  return `${kind} ${kind === 'recipient' ? recipientKey(value) : value}`;
}

/** Returns the keys of the blocks that would cover a listing. */
export function coveringKeys({ resource, owner }: { resource: string; owner: string }): [string, string] {
  return [`origin ${originOf(resource)}`, `recipient ${recipientKey(owner)}`];
}
