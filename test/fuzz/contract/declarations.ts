/** What sellers declare of their resources, within the limits of the contract and beyond them. */

export interface Declaration {
  readonly type: 'http' | 'mcp';
  readonly hasTemplate: boolean;
  /** Of its address: what does not belong to the canonical one. */
  readonly suffix: string;
  /** Fields that are listed as they are. */
  readonly good: Readonly<Record<string, unknown>>;
  /** Fields that break a limit of the contract, and are not listed like that. */
  readonly bad: Readonly<Record<string, unknown>>;
  /** Of all extensions together. */
  readonly bytes?: number;
  /** Its one parameter. */
  readonly parameter?: string;
}

const EXTENSIONS_LIMIT_BYTES = 64 * 1024;
/** What the header says of a listing that was written. */
export const LISTED = Buffer.from('{"bazaar":{"status":"success"}}').toString('base64');
const ORIGIN = 'https://listings.example.com';

const GOOD: Readonly<Record<string, readonly unknown[]>> = {
  description: ['Forecasts', 'Vorhersage für Zürich ☂', 'x'.repeat(300)],
  mimeType: ['application/json', 'image/png'],
  serviceName: ['Desk', '~'.repeat(32), "Bob's"],
  tags: [['one'], ['a', 'b', 'c', 'd', 'e'], ['t'.repeat(32)]],
  iconUrl: ['https://api.example.com/icon.png', 'http://example.org/i.svg'],
};
const BAD: Readonly<Record<string, readonly unknown[]>> = {
  serviceName: ['x'.repeat(33), 'Café', '', 7, null],
  tags: [['x'.repeat(33)], ['a', 'a'], ['a', 'A'], [...'abcdef'], ['ü'], 'tag'],
  iconUrl: ['javascript:alert(1)', 'icon.png', 'ftp://example.com/icon.png', 7],
};
/** Enough for every value of every field. */
const COUNT = 10;

export const DECLARATIONS: readonly Declaration[] = Array.from({ length: COUNT }, (_, nth) => {
  const [good, bad] = [GOOD, BAD].map((values, part) =>
    Object.entries(values).flatMap(([name, those]) => {
      // Good ones, then bad ones, then none.
      const [before, all] = [part * GOOD[name]!.length, GOOD[name]!.length + (BAD[name]?.length ?? 0) + 1];
      const at = (nth % all) - before;
      return at >= 0 && at < those.length ? [[name, those[at]] as const] : [];
    }),
  );
  return {
    type: nth % 2 === 0 ? 'http' : 'mcp',
    hasTemplate: nth % 4 < 2,
    suffix: ['', '?city=Lisbon', '#part', '?a=1&b=2#c'][(nth >> 1) % 4]!,
    good: Object.fromEntries(good!),
    bad: Object.fromEntries(bad!),
    bytes: nth % 3 === 0 ? EXTENSIONS_LIMIT_BYTES : 5_000,
  };
});

/** What a buyer echoes of it, at an address of its own for each recipient. */
export function offerOf(
  payTo: string,
  { type, hasTemplate, suffix, good, bad, bytes = 0, parameter = 'city' }: Declaration,
) {
  const parameters = { type: 'object', properties: { [parameter]: { type: 'string' } } };
  const http = { type, method: 'GET', queryParams: { [parameter]: 'Lisbon' } };
  const mcp = { type, toolName: payTo, inputSchema: parameters };
  const queryParams = { type: 'object', properties: { queryParams: parameters } };
  const bazaar = {
    info: { input: type === 'http' ? http : mcp },
    schema: { type: 'object', properties: { input: type === 'http' ? queryParams : {} } },
    ...(hasTemplate && { routeTemplate: `/${payTo}/:city` }),
  };
  const note = 'x'.repeat(Math.max(0, bytes - JSON.stringify({ bazaar, note: '' }).length));
  const url = `${ORIGIN}/${payTo}${hasTemplate ? '/Lisbon' : ''}${suffix}`;
  return { resource: { ...bad, ...good, url }, extensions: { bazaar, note } };
}

/** The canonical address: with the template, which is for http only, else the path. */
export function canonicalUrl(payTo: string, { type, hasTemplate }: Declaration): string {
  const place = type === 'http' ? '/:city' : '/Lisbon';
  return `${ORIGIN}/${payTo}${hasTemplate ? place : ''}`;
}
