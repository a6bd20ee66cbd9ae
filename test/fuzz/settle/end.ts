import type { DiscoveryListResponse, DiscoveryResource } from '../../../src/contract/index.ts';
import { SETTLE_LIMITS } from '../../../src/scheme/index.ts';
import { readParts } from '../../catalog/pages.ts';
import { readJournal } from '../../world/journal.ts';
import { wrongListings } from '../../world/oracle/listings.ts';
import { unfinished, wrongRows } from '../../world/oracle/rows.ts';
import type { Start } from './steps.ts';
import type { VirtualTime } from './virtualTime.ts';
import { LEDGER_MS, type World } from './world.ts';

/** Whatever was sent comes to its end within this many ledgers after the last fault. */
const MAX_LEDGERS_TO_END = 40;
const MAX_LEDGERS_TO_SETTLE = 12;

/**
 * After a schedule: all faults are over, and ledgers close in their rhythm. Then everything under way must end, every
 * submitter must settle again, and what journal and catalog say must be what the ledgers hold.
 */
export async function checkEnd(world: World, time: VirtualTime, start: Start): Promise<void> {
  world.heal();
  for (const instance of world.instances) {
    world.resume(instance);
    instance.service?.spare();
    if (instance.service === undefined) await world.start(start, instance);
  }
  // Whoever has not seen a ledger close does not know the network's time.
  await nextLedger(world, time);
  await everythingEnds(world, time);
  await everyLaneSettles(world, time);
  if (world.complaint() !== undefined) return;
  // What the catalog has failed to list is listed at the next start.
  for (const instance of world.instances) await world.stop(false, instance);
  for (const instance of world.instances) await world.start(start, instance);
  for (const instance of world.instances) await world.stop(false, instance);
  for (const difference of [...(await journalDifferences(world)), ...catalogDifferences(world)])
    world.complain(difference);
}

const isAnswered = ({ answer, isLost }: World['calls'][number]): boolean =>
  answer !== undefined || isLost === true;

async function everythingEnds(world: World, time: VirtualTime): Promise<void> {
  const isOver = (): boolean => world.calls.every(isAnswered) && world.unended().length === 0;
  for (let ledgers = 0; !isOver(); ledgers += 1) {
    if (ledgers === MAX_LEDGERS_TO_END)
      return world.complain(
        `${ledgers} ledgers after the last fault the journal has still open: ${world.unended().join(', ')}`,
      );
    await nextLedger(world, time);
  }
}

async function everyLaneSettles(world: World, time: VirtualTime): Promise<void> {
  // One that the network took nothing from rests for a while.
  await time.pass(SETTLE_LIMITS.accountRestMs);
  const submitters = world.service()?.submitters ?? [];
  const calls = submitters.map(() => world.settle(world.customers.fresh())!);
  for (let ledgers = 0; ledgers < MAX_LEDGERS_TO_SETTLE && !calls.every(isAnswered); ledgers += 1)
    await nextLedger(world, time);
  const used = new Set<string | undefined>();
  for (const { payment, answer, sent } of calls) {
    if (answer?.success !== true)
      return world.complain(
        `after the last fault ${payment.name} does not settle: ${JSON.stringify(answer ?? 'no answer')}`,
      );
    used.add(sent.at(-1)?.submitter);
  }
  for (const submitter of submitters)
    if (!used.has(submitter)) world.complain(`after the last fault ${submitter} settles nothing`);
}

async function nextLedger(world: World, time: VirtualTime): Promise<void> {
  await time.pass(LEDGER_MS);
  world.closeLedger();
  await time.pass(LEDGER_MS / 5);
  world.checkTimes();
}

async function journalDifferences({ disk, shared, transactions }: World): Promise<string[]> {
  const sent = [...transactions.sent.values()];
  const journal = shared ? await shared.journal() : readJournal(disk.journalPath());
  const held = (await shared?.inFlight()) ?? [];
  return [
    ...held.map((authorization) => `journal: ${authorization} is still held`),
    ...wrongRows(
      sent,
      sent.flatMap(({ applied }) => applied ?? []),
      journal,
    ),
    ...unfinished(journal),
  ];
}

const PAGE = 100;

function catalogDifferences({ disk, customers, transactions }: World): string[] {
  const listings: DiscoveryResource[] = [];
  for (let isMore = true; isMore;) {
    const page = disk.catalog.list({ filters: {}, limit: PAGE, offset: listings.length });
    const { items } = readParts<DiscoveryListResponse>(disk.catalog, page);
    listings.push(...items);
    isMore = items.length === PAGE;
  }
  const earned = customers.payments.flatMap((payment) => {
    const paid = payment.deserves === 'a listing' ? transactions.settledIn(payment) : undefined;
    return paid ? [{ request: payment.request(), closedAtSeconds: paid.closedAtSeconds }] : [];
  });
  return wrongListings(earned, listings);
}
