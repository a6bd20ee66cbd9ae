/**
 * A way to make a client from openapi.yaml, in a folder of its own that holds its pins and its round trip. The commands
 * of the generators stand here, in `build` (for Java in java/pom.xml); README.md has them to copy.
 */
export interface Toolchain {
  /** Of the folder, and on the command line. */
  name: string;
  generator: string;
  /** Where its version is pinned: a file of the folder, and the version in it. */
  pinned: { file: string; version: RegExp };
  /** Programs that must be there: how to ask, what the answer must be, what to install if it is another. */
  needs: { command: string[]; answer: RegExp; install: string }[];
  /** Commands for the folder's copy: what fetches the pinned tools. */
  install: string[][];
  /** What makes the client from openapi.yaml, which is put beside it, and compiles. Its output is searched for warnings. */
  build: string[][];
  /** What the generator makes, in that folder. */
  client: string;
  /** Talks to the service at `FACILITATOR_URL` about the payment in payment.json, and fails by its exit code. */
  roundTrip: string[];
  /** Warnings that the generator gives for every contract. */
  notOurs: RegExp[];
}

const npmCi = ['npm', 'ci', '--no-audit', '--no-fund'];
const node = process.execPath;
const tsc = [node, 'node_modules/.bin/tsc', '-p', '.'];

export const toolchains: Toolchain[] = [
  {
    name: 'typescript-openapi-fetch',
    generator: 'openapi-typescript',
    pinned: { file: 'package.json', version: /"openapi-typescript": "(.+?)"/ },
    needs: [],
    install: [npmCi],
    build: [[node, 'node_modules/.bin/openapi-typescript', 'openapi.yaml', '-o', 'facilitator.ts'], tsc],
    client: 'facilitator.ts',
    roundTrip: [node, 'dist/roundTrip.js'],
    notOurs: [],
  },
  {
    name: 'typescript-hey-api',
    generator: '@hey-api/openapi-ts',
    pinned: { file: 'package.json', version: /"@hey-api\/openapi-ts": "(.+?)"/ },
    needs: [],
    install: [npmCi],
    build: [[node, 'node_modules/.bin/openapi-ts', '-i', 'openapi.yaml', '-o', 'facilitator'], tsc],
    client: 'facilitator',
    roundTrip: [node, 'dist/roundTrip.js'],
    notOurs: [],
  },
  {
    name: 'python',
    generator: 'openapi-python-client',
    pinned: { file: 'requirements.txt', version: /^openapi-python-client==(.+)$/m },
    needs: [
      {
        command: ['python3', '-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 11))'],
        answer: /True/,
        install: 'Python 3.11 or newer with venv',
      },
    ],
    install: [
      ['python3', '-m', 'venv', 'venv'],
      [
        'venv/bin/pip',
        'install',
        '--quiet',
        '--no-deps',
        '--disable-pip-version-check',
        '-r',
        'requirements.txt',
      ],
    ],
    build: [
      [
        ...['venv/bin/openapi-python-client', 'generate', '--path', 'openapi.yaml', '--meta', 'none'],
        ...['--output-path', 'facilitator', '--config', 'openapi-python-client.yaml'],
      ],
      ['venv/bin/mypy', '--strict', 'facilitator', 'round_trip.py'],
    ],
    client: 'facilitator',
    roundTrip: ['venv/bin/python', '-W', 'error', 'round_trip.py'],
    notOurs: [],
  },
  {
    name: 'go',
    generator: 'oapi-codegen',
    pinned: { file: 'go.mod', version: /oapi-codegen\/v2 v(\S+)/ },
    needs: [{ command: ['go', 'version'], answer: /go1\.(2[5-9]|[3-9]\d)/, install: 'Go 1.25 or newer' }],
    install: [],
    build: [
      ['go', 'tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', 'openapi.yaml'],
      ['go', 'vet', './...'],
      ['go', 'build', '-o', 'round_trip', '.'],
    ],
    client: 'facilitator',
    roundTrip: ['./round_trip'],
    notOurs: [],
  },
  {
    name: 'java',
    generator: 'openapi-generator',
    pinned: { file: 'pom.xml', version: /<openapi-generator\.version>(.+?)</ },
    needs: [
      { command: ['javac', '-version'], answer: /javac (1[7-9]|[2-9]\d)/, install: 'a JDK 17 or newer' },
      {
        command: ['mvn', '-version'],
        answer: /Maven 3\.([8-9]|\d\d)|Maven 4/,
        install: 'Maven 3.8 or newer',
      },
    ],
    install: [],
    build: [['mvn', '--batch-mode', '--no-transfer-progress', 'compile']],
    client: 'target/generated-sources/openapi',
    roundTrip: ['mvn', '--batch-mode', '--quiet', 'exec:java'],
    notOurs: [
      /OpenAPI 3\.1 support is still in beta/,
      // Of schemas that no body holds, here those of a header.
      /Failed to get the schema name: null/,
      // Of every example of a request that is an object.
      /Ignoring complex example on request body/,
    ],
  },
];
