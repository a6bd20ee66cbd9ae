import { Agent } from 'node:http';
import { shown } from '../table.ts';
import { ask } from './ask.ts';
import type { Attack, Target, Timed } from './attack.ts';
import { fillWithWords, questionOf } from './catalogs.ts';
import { atRate } from './sending.ts';

interface Size extends Timed {
  listings: number;
  words: number;
  /** For which the capacity is measured, with as many questions under way. */
  capacitySeconds: number;
  atOnce: number;
  timesCapacity: number;
}

/** Who asks gives up after this time. */
const PATIENCE_MS = 2_000;
const DIFFERENT_QUESTIONS = 200;

/** More long questions than can be answered, from askers who do not wait for long. */
export const attack: Attack<Size> = {
  file: 'questions.ts',
  title: 'More questions than capacity',
  describe: ({ timesCapacity, words, listings, atOnce, seconds }) =>
    `searches of ${words} words in ${shown(listings)} listings, ${timesCapacity} times as many a second as are answered when ${atOnce} are under way; who asks gives up after ${PATIENCE_MS / 1000} s; for ${seconds} s.`,
  full: { listings: 25_000, words: 64, capacitySeconds: 5, atOnce: 4, timesCapacity: 10, seconds: 20 },
  short: { listings: 8_000, words: 64, capacitySeconds: 2, atOnce: 4, timesCapacity: 5, seconds: 8 },
  honest: ['health'],
  submitters: 1,
  rpcDelayMs: 0,
  fillCatalog: (path, { listings }) => fillWithWords(path, listings),
  async send(target, size) {
    const agent = new Agent({ keepAlive: true });
    const search = searcher(target, agent, size.words);
    await measureCapacity(search, size);
    const capacity = await measureCapacity(search, size);
    const { asked, answered } = await overload(search, size.seconds, capacity * size.timesCapacity);
    agent.destroy();
    const goodput = answered / size.seconds;
    return {
      'capacity, questions a second': capacity,
      'asked a second': asked / size.seconds,
      'answered in time a second': goodput,
      [GOODPUT]: (100 * goodput) / capacity,
    };
  },
};

export const GOODPUT = 'goodput, % of the capacity';

/** Asks a question, and tells whether it was answered in time. */
type Search = (nth: number) => Promise<boolean>;

function searcher({ port }: Target, agent: Agent, words: number): Search {
  const paths = Array.from({ length: DIFFERENT_QUESTIONS }, (_, nth) => {
    const query = new URLSearchParams({ query: questionOf(nth, words) }).toString();
    return `/discovery/search?${query}`;
  });
  const options = { port, patienceMs: PATIENCE_MS, agent };
  return (nth) =>
    ask({ path: paths[nth % paths.length]! }, options).then(
      ({ status }) => status === 200,
      () => false,
    );
}

/** Answers a second where nobody has to queue for long. */
async function measureCapacity(search: Search, { capacitySeconds, atOnce }: Size): Promise<number> {
  const startedAt = performance.now();
  let [asked, answered] = [0, 0];
  const lines = Array.from({ length: atOnce }, async () => {
    while (performance.now() - startedAt < capacitySeconds * 1000) if (await search(asked++)) answered += 1;
  });
  await Promise.all(lines);
  return answered / ((performance.now() - startedAt) / 1000);
}

async function overload(
  search: Search,
  seconds: number,
  perSecond: number,
): Promise<{ asked: number; answered: number }> {
  let answered = 0;
  const asked: Promise<void>[] = [];
  await atRate({ seconds, perSecond }, (nth) => {
    asked.push(search(nth).then((isAnswered) => void (answered += isAnswered ? 1 : 0)));
  });
  await Promise.all(asked);
  return { asked: asked.length, answered };
}
