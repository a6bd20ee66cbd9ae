import type {
  Block,
  RecordedAct,
  KeptListing,
  KeptPage,
  KeptRequest,
  ActsRequest,
  Stale,
} from '../../catalog/index.ts';
import type { Context } from '../command.ts';
import { printable, printableJson } from '../printable.ts';
import { failureOf } from './actions.ts';
import { withKeeper } from './store.ts';

type Paged<Request> = Omit<Request, 'limit'> & { readonly limit: number };

/** Shows a page of the listings. Throws a Failure. */
export async function listListings(
  request: Paged<KeptRequest>,
  json: boolean,
  { environment, terminal }: Context,
): Promise<void> {
  const { listings, next } = await withKeeper(environment, async (keeper): Promise<KeptPage> => {
    const found: KeptListing[] = [];
    let { after } = request;
    do {
      const page = await keeper.list({ ...request, after, limit: request.limit - found.length });
      if ('code' in page) throw failureOf(page);
      found.push(...page.listings);
      after = page.next;
    } while (after !== undefined && found.length < request.limit);
    return { listings: found, next: after };
  });
  if (json) return terminal.say(printableJson({ listings: listings.map(listingJson), next: next ?? null }));
  terminal.say(listings.length === 0 ? 'No listing matches.' : tableOf(HEAD, listings.map(rowOf)));
  if (next !== undefined) terminal.note(`More follow: --after ${next}`);
}

/** Shows all of a listing, and what was done to it. Throws a Failure. */
export async function showListing(
  id: number,
  json: boolean,
  { environment, terminal }: Context,
): Promise<void> {
  const found = await withKeeper(environment, (keeper) => keeper.show(id));
  if ('code' in found) throw failureOf(found);
  const { listing, item, acts } = found;
  if (json)
    return terminal.say(
      printableJson({ ...listingJson(listing), item: item ?? null, acts: acts.map(actJson) }),
    );
  terminal.say(`Listing ${id}, paid to ${printable(listing.payTo)}, is ${stateOf(listing)}.`);
  if (listing.stale !== undefined) terminal.say(staleLine(listing.stale));
  terminal.say(item === undefined ? 'Its row is damaged: its next sale restores it.' : printableJson(item));
  if (acts.length > 0) terminal.say(actsTable(acts));
}

export async function listBlocks(json: boolean, { environment, terminal }: Context): Promise<void> {
  const blocks = await withKeeper(environment, (keeper) => keeper.blocks());
  if (json) return terminal.say(printableJson(blocks.map(blockJson)));
  const rows = blocks.map(({ kind, value, since }) => [kind, since.toISOString(), value]);
  terminal.say(blocks.length === 0 ? 'Nothing is blocked.' : tableOf(['KIND', 'SINCE', 'WHAT'], rows));
}

/** Shows what was done, latest first. Throws a Failure. */
export async function listActs(
  request: Paged<ActsRequest>,
  json: boolean,
  { environment, terminal }: Context,
): Promise<void> {
  const acts = await withKeeper(environment, async (keeper) => {
    const found: RecordedAct[] = [];
    let { before } = request;
    for (;;) {
      const page = await keeper.acts({ before, limit: request.limit - found.length });
      found.push(...page);
      before = page.at(-1)?.id;
      if (page.length === 0 || found.length >= request.limit) return found;
    }
  });
  if (json) return terminal.say(printableJson(acts.map(actJson)));
  terminal.say(acts.length === 0 ? 'There are no acts.' : actsTable(acts));
}

const HEAD = ['ID', 'STATE', 'UPDATED', 'TYPE', 'PAY TO', 'URL', 'TOOL', 'NAME'];

function rowOf(listing: KeptListing): string[] {
  const { id, type, payTo, resource, toolName = '', serviceName = '', lastUpdated = '' } = listing;
  return [String(id), stateOf(listing), lastUpdated, type, payTo, resource, toolName, serviceName];
}

function stateOf({ isHidden, blockedBy, stale }: KeptListing): string {
  const states = [...(isHidden ? ['hidden'] : []), ...blockedBy.map(({ kind }) => `${kind} blocked`)];
  const shown = states.length === 0 ? ['shown'] : states;
  return [...shown, ...(stale === undefined ? [] : ['stale'])].join(', ');
}

const FOUND: Readonly<Record<Stale['reason'], string>> = {
  no_answer: 'it did not answer',
  no_402: 'it did not ask for a payment of x402 version 2',
  other_terms: 'it asked for other terms than those listed',
};

const staleLine = ({ reason, since }: Stale): string =>
  `It is stale since ${since}: when it was last checked, ${FOUND[reason]} (${reason}).`;

function actsTable(acts: readonly RecordedAct[]): string {
  const rows = acts.map(({ id, at, source, actor, action, listing, subject, reason }) => [
    String(id),
    at.toISOString(),
    action,
    listing === undefined ? subject : `${listing} ${subject}`,
    `${actor} (${source})`,
    reason,
  ]);
  return tableOf(['ID', 'AT', 'ACTION', 'WHAT', 'BY', 'REASON'], rows);
}

/** Aligns columns to the left. Strangers wrote many of the texts. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_title, column) => Math.max(...safe.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return safe.map(line).join('\n');
}

const listingJson = ({ toolName, serviceName, lastUpdated, stale, ...listing }: KeptListing): object => ({
  ...listing,
  toolName: toolName ?? null,
  serviceName: serviceName ?? null,
  lastUpdated: lastUpdated ?? null,
  stale: stale ?? null,
});

const actJson = ({ listing, ...act }: RecordedAct): object => ({
  ...act,
  listing: listing ?? null,
});

const blockJson = ({ kind, value, since }: Block): object => ({ kind, value, since });
