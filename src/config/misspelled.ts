/** A variable that is no setting, and the setting that it was probably meant to be. */
export interface Misspelled {
  readonly variable: string;
  readonly meant: string;
}

/** Shorter names resemble too many others: PORT is one letter from POST. */
const LEAST_CHARACTERS = 6;
/** Names of at least this length may differ in two characters, others in one. */
const LONG_CHARACTERS = 10;
/** Standard names. What resembles them mostly belongs to other parts of that standard. */
const STANDARD = /^OTEL_/;

/**
 * Finds variables that are set and look like one of `settings`, but are none: in another case, with a character or two
 * missing, added or changed, or with a _FILE that does not exist. They may belong to other programs.
 */
export function findMisspelled(
  source: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): Misspelled[] {
  const candidates = settings.filter((name) => !STANDARD.test(name));
  return Object.entries(source).flatMap(([variable, text]) => {
    if (!text?.trim() || settings.includes(variable) || !/^\w+$/.test(variable)) return [];
    const name = variable.toUpperCase();
    const meant =
      candidates.find((setting) => name === setting || name === `${setting}_FILE`) ??
      candidates.find((setting) => resembles(name, setting));
    return meant === undefined ? [] : [{ variable, meant }];
  });
}

/** Says so to the operator. The variable's value may be a secret. */
export const misspelledText = ({ variable, meant }: Misspelled): string =>
  `${variable} is not a setting: did you mean ${meant}?`;

function resembles(name: string, setting: string): boolean {
  if (setting.length < LEAST_CHARACTERS) return false;
  const most = setting.length < LONG_CHARACTERS ? 1 : 2;
  return Math.abs(name.length - setting.length) <= most && editDistance(name, setting) <= most;
}

/** Returns how many characters must be added, taken out or changed to make one text of the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = row[column]! + (character === wanted ? 0 : 1);
      next.push(Math.min(changed, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
