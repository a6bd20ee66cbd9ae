/** Builds the image of the Dockerfile where no registry of images can be had: on bases made from Debian's packages. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const DEBIAN = 'bookworm';
/** What Node needs of Debian, beside its own file. */
const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'base-files', 'tzdata'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The environment variables that the Dockerfile sets in each container. */
const ENVIRONMENT = Object.fromEntries(
  /^ENV (.+)$/m
    .exec(readFileSync('Dockerfile', 'utf8'))![1]!
    .split(' ')
    .map((assignment) => [assignment, assignment.indexOf('=')] as const)
    .map(([assignment, at]) => [assignment.slice(0, at), assignment.slice(at + 1)]),
);
const NEEDED = ['buildah', 'debootstrap', 'apt-get', 'dpkg-deb', 'strip', 'npm'];

/** Says why no image can be built on this machine; undefined if one can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'this user is not root';
  const missing = NEEDED.filter((program) => locate(program) === undefined);
  if (missing.length > 0) return `there is no ${missing.join(', ')}`;
  using folder = temporaryFolder();
  // Containers may forbid the first two, and a network the third.
  const attempts = [
    ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'],
    ['buildah', ...storageIn(folder.path), 'from', 'scratch'],
    ['apt-get', 'download', 'base-files'],
  ] as const;
  const failed = attempts.find(
    ([program, ...args]) => spawnSync(program, args, { cwd: folder.path }).status !== 0,
  );
  return failed && `this fails: ${failed.join(' ')}`;
}

export interface Image extends Disposable {
  /** The unpacked size of all layers. */
  readonly bytes: number;
  readonly config: { User: string; Entrypoint: string[]; Volumes: object; Healthcheck?: { Test: string[] } };
  /**
   * Runs a command as its user, or its entry point with arguments. The root file system is read-only: there is only
   * /data to write to.
   */
  run(command: readonly string[], environment?: Record<string, string>): ChildProcess;
  start(args: readonly string[], environment?: Record<string, string>): ChildProcess;
}

export function buildImage(): Image {
  const { path: folder, [Symbol.dispose]: remove } = temporaryFolder();
  const storage = storageIn(folder);
  const buildah = (...args: string[]): string =>
    execFileSync('buildah', [...storage, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const build = ['bud', '--isolation', 'chroot', '--network', 'host', '--format', 'docker'];

  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  execFileSync('strip', [node]);
  makeBase(buildah, { name: 'runs', folder, root: rootThatRuns(folder, node) });
  makeBase(buildah, { name: 'builds', folder, root: rootThatBuilds(folder, node) });
  // npm's settings of this machine say which registry it may ask.
  const settings = join(homedir(), '.npmrc');
  buildah(
    ...build,
    ...['--volume', '/etc/ssl/certs:/etc/ssl/certs:ro'],
    ...(existsSync(settings) ? ['--volume', `${settings}:/root/.npmrc:ro`] : []),
    ...['--build-arg', 'BUILD_IMAGE=localhost/builds', '--build-arg', 'BASE_IMAGE=localhost/runs'],
    ...['--tag', 'localhost/facilitator', '.'],
  );

  const [{ size }] = JSON.parse(buildah('images', '--json', 'localhost/facilitator')) as [{ size: string }];
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/facilitator')) as {
    Docker: { config: Image['config'] };
  };
  const root = buildah('mount', buildah('from', 'localhost/facilitator'));
  const run: Image['run'] = (command, environment = {}) =>
    runIn(root, Docker.config.User, command, environment);
  return {
    bytes: bytesOf(size),
    config: Docker.config,
    run,
    start: (args, environment) => run([...Docker.config.Entrypoint, ...args], environment),
    [Symbol.dispose]: remove,
  };
}

/** Returns a folder with the libraries that Node needs, and Node where the base image has it. */
function rootThatRuns(folder: string, node: string): string {
  const [root, packages] = [join(folder, 'runs'), join(folder, 'packages')];
  mkdirSync(packages);
  execFileSync('apt-get', ['download', ...LIBRARIES], { cwd: packages, stdio: 'ignore' });
  for (const name of readdirSync(packages)) execFileSync('dpkg-deb', ['-x', join(packages, name), root]);
  place(node, join(root, 'nodejs/bin/node'));
  place(CERTIFICATES, join(root, CERTIFICATES));
  return root;
}

/** Returns a small Debian with Node and npm. */
function rootThatBuilds(folder: string, node: string): string {
  const root = join(folder, 'builds');
  execFileSync('debootstrap', ['--variant=minbase', '--include=libatomic1', DEBIAN, root], {
    stdio: 'ignore',
  });
  place(node, join(root, 'usr/local/bin/node'));
  // It lies in a folder of its own, with all that it needs.
  const npm = dirname(dirname(realpathSync(locate('npm')!)));
  cpSync(npm, join(root, 'usr/local/lib/npm'), { recursive: true });
  writeFileSync(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec /usr/local/bin/node /usr/local/lib/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  return root;
}

function makeBase(
  buildah: (...args: string[]) => string,
  { name, folder, root }: { name: string; folder: string; root: string },
): void {
  const context = join(folder, `${name}-context`);
  mkdirSync(context);
  execFileSync('tar', ['-C', root, '-cf', join(context, 'root.tar'), '.']);
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM scratch\nADD root.tar /\nENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}\n`,
  );
  buildah('bud', '--tag', `localhost/${name}`, context);
  rmSync(root, { recursive: true });
}

function runIn(
  root: string,
  user: string,
  command: readonly string[],
  environment: Record<string, string>,
): ChildProcess {
  const script = [
    'set -e',
    `mount --bind "${root}" "${root}"`,
    `mount -o remount,ro,bind "${root}"`,
    `mount -t tmpfs -o uid=1000,gid=1000 none "${root}/data"`,
    `exec chroot --userspec=${user} "${root}" "$@"`,
  ].join('\n');
  return spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    env: { PATH: process.env['PATH'], ...ENVIRONMENT, ...environment },
  });
}

function place(file: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
}

/** Keeps images apart from those of this machine. */
const storageIn = (folder: string): string[] => [
  ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')],
  ...['--storage-driver', 'vfs'],
];

function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'image-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function locate(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Reads what buildah prints, such as `149 MB`. */
function bytesOf(size: string): number {
  const [, digits, unit] = /^([\d.]+) ?([KMG]?)B$/.exec(size) ?? [];
  return Number(digits) * { '': 1, K: 1e3, M: 1e6, G: 1e9 }[unit ?? '']!;
}
