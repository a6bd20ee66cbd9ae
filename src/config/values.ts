import type { Environment, Variable } from './environment.ts';

/** Takes note of what is wrong with a variable. The text never repeats the value, which may be a secret. */
export type Report = (variable: Variable, text: string) => void;

/** The values that a variable may have: whole numbers of this range, or `absent` if it is not set. */
export interface NumberRule {
  readonly absent: number;
  readonly min: number;
  readonly max: number;
  /** Names what is counted, in the plural. */
  readonly unit?: string;
  /** Added to the text that says what is wrong with any other value. */
  readonly note?: string;
}

/** Returns a whole number that follows the rule. Reports anything else, and returns NaN for it. */
export function wholeNumber(
  environment: Environment,
  variable: Variable,
  { absent, min, max, unit, note }: NumberRule,
  report: Report,
): number {
  const text = environment[variable];
  if (text === undefined) return absent;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  const number = unit === undefined ? 'a whole number' : `a whole number of ${unit}`;
  report(variable, `must be ${number} from ${min} to ${max}${note === undefined ? '' : ` (${note})`}`);
  return NaN;
}

/** Returns a whole number that follows the rule; undefined if the variable is off or not set. */
export function optionalNumber(
  environment: Environment,
  variable: Variable,
  rule: Omit<NumberRule, 'absent'>,
  report: Report,
): number | undefined {
  const { [variable]: text = 'off' } = environment;
  if (text === 'off') return undefined;
  return wholeNumber(environment, variable, { ...rule, absent: NaN, note: 'or off' }, report);
}

/** Returns true for on, and false for off or if the variable is not set. Reports anything else. */
export function onOrOff(environment: Environment, variable: Variable, report: Report): boolean {
  const { [variable]: text = 'off' } = environment;
  if (text !== 'on' && text !== 'off') report(variable, 'must be on or off');
  return text === 'on';
}
