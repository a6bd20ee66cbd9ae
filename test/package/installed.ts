/** The package as others get it: packed, installed into a folder of its own, and started from there. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const exec = promisify(execFile);

/** With `registry`, npm installs it, with a Node of its own; else it is unpacked, without a connection. */
const FROM_REGISTRY = process.env['PACKAGE_INSTALL'] === 'registry';

interface Manifest {
  name: string;
  version: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  engines: { node: string };
  dependencies?: Record<string, string>;
}

export interface Installed {
  readonly manifest: Manifest;
  /** Of the package, by their paths in it. */
  readonly files: readonly string[];
  /** The folder that it is installed in: people stand here. */
  readonly folder: string;
  read(file: string): string;
  /** A command as a shell finds it in `node_modules/.bin`. */
  start(command: string, args: readonly string[], environment?: Record<string, string>): ChildProcess;
  run(command: string, args: readonly string[], environment?: Record<string, string>): Promise<Ended>;
  remove(): void;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export async function installPackage(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  if (!FROM_REGISTRY) await exec('npm', ['run', 'build'], { cwd: root });
  const pack = [
    'pack',
    '--json',
    '--pack-destination',
    folder,
    ...(FROM_REGISTRY ? [] : ['--ignore-scripts']),
  ];
  const { stdout } = await exec('npm', pack, { cwd: root });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ];
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const tarball = join(folder, packed.filename);
  const place = join(folder, 'node_modules', manifest.name);
  if (FROM_REGISTRY) await install(folder, tarball);
  else await unpack(folder, place, { tarball, manifest });

  const commands = join(folder, 'node_modules', '.bin');
  const start: Installed['start'] = (command, args, environment = {}) =>
    spawn(command, args, {
      cwd: folder,
      env: {
        HOME: folder,
        PATH: [commands, ...otherCommands()].join(delimiter),
        NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
        ...environment,
      },
    });
  return {
    manifest,
    files: packed.files.map(({ path }) => path),
    folder,
    read: (file) => readFileSync(join(place, file), 'utf8'),
    start,
    run: (command, args, environment) => ended(start(command, args, environment)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

async function install(folder: string, tarball: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  await exec('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
    cwd: folder,
    env: { ...process.env, PATH: otherCommands().join(delimiter) },
  });
}

/** Does what npm would do: the package depends on no other. */
async function unpack(
  folder: string,
  place: string,
  { tarball, manifest }: { tarball: string; manifest: Manifest },
): Promise<void> {
  mkdirSync(place, { recursive: true });
  await exec('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands);
  for (const [command, file] of Object.entries(manifest.bin)) {
    chmodSync(join(place, file), 0o755);
    symlinkSync(join(place, file), join(commands, command));
  }
  symlinkSync(process.execPath, join(commands, 'node'));
}

/** Where the machine has its commands, without what npm adds for this project. */
function otherCommands(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
}

async function ended(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, ...output };
}
