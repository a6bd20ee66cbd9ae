import { PACKAGE_ROOT } from '../process/packageRoot.ts';

/** A program of the package with arguments of its own. Nothing of the service imports it. */
interface Program {
  /** The word that people type. In the project's folder, an npm script has the same name. */
  readonly name: string;
  /** Its build in `dist`. */
  readonly file: string;
  /** A sentence without its full stop. */
  readonly summary: string;
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'mcp',
    file: 'stellar-facilitator-mcp.js',
    summary: 'Serves AI agents tools to search and to pay; a host starts it',
  },
  {
    name: 'demo',
    file: 'demo.js',
    summary: 'Shows payments on a local network, from the 402 to the receipt',
  },
  { name: 'sandbox', file: 'sandbox.js', summary: 'Serves a local Stellar network, to try the service on' },
];

export const findProgram = (name: string | undefined): Program | undefined =>
  PROGRAMS.find((program) => program.name === name);

/** Runs a program in this process, as its build left it. It reads `process.argv` and sets the exit code. */
export async function runProgram({ file }: Program, args: readonly string[]): Promise<void> {
  process.argv.splice(2, Infinity, ...args);
  await import(new URL(`dist/${file}`, PACKAGE_ROOT).href);
}
