/** Reads what `npm run sandbox` is started with. */
import { isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
import { findMisspelled, type Misspelled } from '../src/config/misspelled.ts';
import { argumentProblem } from '../src/process/argumentProblem.ts';
import { PROTOCOLS } from './host/instance.ts';
import { PUBLIC_NETWORKS, type NetworkName } from './networks.ts';
import type { SavedNetwork } from './saved.ts';
import { folderProblem, readState } from './stateFile.ts';

/** https is served on the port after this one. */
const DEFAULT_PORT = 8_000;
const MAX_PORT = 65_534;
const DEFAULT_LEDGER_MS = 5_000;
const MAX_LEDGER_MS = 600_000;
const VARIABLES = [
  'SANDBOX_HOST',
  'SANDBOX_PORT',
  'SANDBOX_LEDGER_MS',
  'SANDBOX_PROTOCOL',
  'SANDBOX_NETWORK',
];

type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  host: string;
  port: number;
  httpsPort: number;
  ledgerMs: number;
  protocol: number;
  network: NetworkName;
  stateFile: string | undefined;
  /** The content of the state file; undefined for a new network. */
  saved: SavedNetwork | undefined;
}

/** Finds variables that look like settings, but are none. */
export const misspelledIn = (environment: Environment): Misspelled[] =>
  findMisspelled(environment, VARIABLES);

/** Returns the settings, or all that is wrong with them. */
export function readSettings(
  stateFile: string | undefined,
  environment: Environment,
): Settings | { problems: string[] } {
  const problems: string[] = [];
  const integer = (name: string, byDefault: number, max: number): number => {
    const text = environment[name] || String(byDefault);
    if (!/^\d{1,9}$/.test(text) || Number(text) > max)
      problems.push(`${name} must be an integer from 0 to ${max}`);
    return Number(text);
  };
  /** The first choice is the default. */
  const choice = (name: string, choices: readonly string[]): string => {
    const text = environment[name] || choices[0]!;
    if (!choices.includes(text)) problems.push(`${name} must be ${choices.join(' or ')}`);
    return text;
  };

  const host = environment['SANDBOX_HOST'] || '127.0.0.1';
  if (!isIPv4(host))
    problems.push('SANDBOX_HOST must be an IPv4 address of this machine, or 0.0.0.0 for all');
  const port = integer('SANDBOX_PORT', DEFAULT_PORT, MAX_PORT);
  const ledgerMs = integer('SANDBOX_LEDGER_MS', DEFAULT_LEDGER_MS, MAX_LEDGER_MS);
  const protocol = Number(choice('SANDBOX_PROTOCOL', PROTOCOLS.map(String).toReversed()));
  const network = choice('SANDBOX_NETWORK', Object.keys(PUBLIC_NETWORKS)) as NetworkName;
  const saved = stateFile === undefined ? undefined : savedIn(stateFile, network, problems);
  if (problems.length > 0) return { problems };
  return { host, port, httpsPort: port === 0 ? 0 : port + 1, ledgerMs, protocol, network, stateFile, saved };
}

/** Returns the path of the state file, if the arguments name one, or what is wrong with the arguments. */
export function stateFileIn(args: string[]): { path: string | undefined } | { problem: string } {
  try {
    return { path: parseArgs({ args, options: { state: { type: 'string' } } }).values.state };
  } catch (error) {
    return { problem: argumentProblem(error) };
  }
}

function savedIn(path: string, network: NetworkName, problems: string[]): SavedNetwork | undefined {
  const problem = folderProblem(path);
  if (problem !== undefined) {
    problems.push(`--state: ${problem}`);
    return undefined;
  }
  try {
    const saved = readState(path);
    if (saved !== undefined && saved.network !== network)
      problems.push(`--state ${path} holds a network of SANDBOX_NETWORK=${saved.network}`);
    return saved;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    problems.push(
      code === undefined
        ? `--state ${path} is not a state that a sandbox saved: ${message}`
        : `--state ${path} cannot be read (${code})`,
    );
    return undefined;
  }
}
