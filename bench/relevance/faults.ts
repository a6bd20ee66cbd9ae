import { HALVES, KINDS, type Question, type RelevanceListing, type RelevanceSet } from './shape.ts';

const MAX_TAGS = 5;
const SHORT_ASCII = /^[\x20-\x7e]{1,32}$/;

/** Returns a sentence for each rule that the set breaks. */
export function faultsOf({ listings, questions }: RelevanceSet): string[] {
  const listed = new Map(listings.map((listing) => [listing.id, listing]));
  return [
    ...repeated(listings.map(({ id }) => id)).map((id) => `listing ${id} is there twice`),
    ...repeated(listings.map(({ url, toolName = '' }) => `${url} ${toolName}`)).map(
      (place) => `two listings are at ${place}`,
    ),
    ...repeated(questions.map(({ id }) => id)).map((id) => `question ${id} is there twice`),
    ...listings.flatMap(faultsOfListing),
    ...questions.flatMap((question) => faultsOfQuestion(question, listed)),
    ...faultsOfHalves(questions),
  ];
}

function faultsOfListing({ id, type, url, toolName, serviceName, tags, method }: RelevanceListing): string[] {
  const faults: string[] = [];
  if (!URL.canParse(url) || !new URL(url).hostname.endsWith('.example'))
    faults.push(`${id}: the host of ${url} is not under .example`);
  if ((type === 'mcp') !== (toolName !== undefined)) faults.push(`${id}: only MCP listings have a tool name`);
  if (type === 'mcp' && method !== 'POST') faults.push(`${id}: an MCP tool is called by POST`);
  if (tags && tags.length > MAX_TAGS) faults.push(`${id} has more than ${MAX_TAGS} tags`);
  for (const name of [serviceName, ...(tags ?? [])])
    if (name !== undefined && !SHORT_ASCII.test(name)) faults.push(`${id}: "${name}" is no short ASCII`);
  return faults;
}

function faultsOfQuestion(
  { id, query, kind, grades }: Question,
  listed: ReadonlyMap<string, RelevanceListing>,
): string[] {
  const faults: string[] = [];
  if (query.trim() === '') faults.push(`${id} asks nothing`);
  if (!KINDS.includes(kind)) faults.push(`${id}: no kind is called ${kind}`);
  for (const [listing, grade] of Object.entries(grades)) {
    if (!listed.has(listing)) faults.push(`${id} grades ${listing}, which is no listing`);
    if (listed.get(listing)?.spam) faults.push(`${id} grades ${listing}, which is spam`);
    if (![1, 2, 3].includes(grade)) faults.push(`${id} grades ${listing} with ${String(grade)}`);
  }
  if (!Object.values(grades).includes(3)) faults.push(`${id} has no listing that it wants`);
  return faults;
}

/** The questions of each kind alternate between the halves, in the order of the file. */
function faultsOfHalves(questions: readonly Question[]): string[] {
  return KINDS.flatMap((kind) =>
    questions
      .filter((question) => question.kind === kind)
      .filter(({ half }, nth) => half !== HALVES[nth % HALVES.length])
      .map(({ id }) => `${id} is in the wrong half`),
  );
}

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, nth) => values.indexOf(value) !== nth);
