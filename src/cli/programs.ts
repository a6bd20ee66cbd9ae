import { PACKAGE_ROOT } from '../process/packageRoot.ts';

/** A program of the package with arguments of its own. Nothing of the service imports it. */
interface Program {
  /** The word that people type. In the project's folder, an npm script has the same name. */
  readonly name: string;
  /** A sentence without its full stop. */
  readonly summary: string;
}

export const PROGRAMS: readonly Program[] = [
  { name: 'demo', summary: 'Shows payments on a local network, from the 402 to the receipt' },
  { name: 'sandbox', summary: 'Serves a local Stellar network, to try the service on' },
];

export const isProgram = (name: string | undefined): boolean =>
  PROGRAMS.some((program) => program.name === name);

/** Runs a program in this process, as its build left it. It reads `process.argv` and sets the exit code. */
export async function runProgram(name: string, args: readonly string[]): Promise<void> {
  process.argv.splice(2, Infinity, ...args);
  await import(new URL(`dist/${name}.js`, PACKAGE_ROOT).href);
}
