/** The Rust toolchain that builds modules, and the file that says how they were built. */
import { execFileSync } from 'node:child_process';

const TOOLS = { rustc: '/usr/bin/rustc', cargo: '/usr/bin/cargo', linker: 'wasm-ld-22' };

/** The content of a hashes.json. */
export interface Hashes {
  /** The script that built the modules. */
  recipe: string;
  /** Versions, by tool. */
  toolchain: Record<string, string>;
  /** SHA-256 of each module before any compression, by name. */
  modules: Record<string, string>;
}

/** Carries out a build command: `--write` keeps what it builds, without an option it compares. */
export function runBuild({ write, check }: { write: () => void; check: () => void }): void {
  const [option] = process.argv.slice(2);
  if (option === undefined) return check();
  if (option === '--write') return write();
  console.error(`There is no ${option}; there is --write.`);
  process.exitCode = 1;
}

/** Another compiler makes other bytes. Returns why nothing can be compared; undefined if it is the same compiler. */
export function otherToolchain({ toolchain }: Hashes): string | undefined {
  const [wanted, found] = [toolchain, readToolchain()].map((tools) => Object.values(tools).join(', '));
  return wanted === found ? undefined : `they were built with ${wanted}; this machine has ${found}`;
}

export function readToolchain(): Record<string, string> {
  return Object.fromEntries(Object.entries(TOOLS).map(([name, command]) => [name, versionOf(command)]));
}

/** The first line that a tool prints about itself. */
function versionOf(command: string): string {
  try {
    const said = execFileSync(command, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.split('\n')[0]!.trim();
  } catch {
    return `no ${command}`;
  }
}
