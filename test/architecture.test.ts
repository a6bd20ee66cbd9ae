import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const lineLimit = 300;

/** Which folders of src, and `main` and `service` beside them, a folder may import, beside itself. */
const arrows: Record<string, string[]> = {
  main: ['service', 'config', 'log', 'process', 'store'],
  // Rehearses what the others do: it may use most of them.
  cli: [
    ...[
      'main',
      'service',
      'callers',
      'scheme',
      'catalog',
      'journal',
      'receipts',
      'agent',
      'stellar',
      'store',
    ],
    ...['config', 'log', 'process', 'doctor', 'net'],
  ],
  // Sees sellers as buyers and the catalog do.
  doctor: ['agent', 'catalog', 'stellar', 'net', 'log'],
  // The package as a library.
  inProcess: ['service', 'http', 'config', 'log', 'process'],
  service: [
    ...['http', 'operator', 'handlers', 'callers', 'scheme', 'catalog', 'journal', 'webhooks', 'stellar'],
    ...['proofs', 'receipts', 'store', 'contract', 'config', 'log', 'process', 'tracing'],
  ],
  // Shows the other parts to the operator. Nothing of it is reachable through them.
  operator: [
    ...[
      'http',
      'webhooks',
      'callers',
      'scheme',
      'catalog',
      'journal',
      'stellar',
      'contract',
      'openapi',
      'log',
      'net',
      'process',
    ],
  ],
  // Only it knows OpenTelemetry. The service loads it if tracing is on.
  tracing: ['http', 'stellar', 'contract', 'config', 'log'],
  http: ['handlers', 'contract', 'openapi', 'log', 'net'],
  handlers: ['scheme', 'catalog', 'journal', 'receipts', 'contract', 'config', 'stellar'],
  callers: ['scheme', 'stellar', 'contract', 'net', 'store'],
  scheme: ['contract', 'stellar'],
  catalog: ['contract', 'net', 'store', 'process'],
  journal: ['scheme', 'stellar', 'contract', 'store'],
  webhooks: ['journal', 'net'],
  receipts: ['contract', 'stellar'],
  // Asks origins. Payments and the catalog know nothing of it.
  proofs: ['catalog', 'contract', 'net'],
  // A process of its own, which knows the service by its public endpoints only.
  agent: ['stellar', 'contract', 'config', 'log', 'net', 'process', 'store'],
  config: ['callers', 'stellar', 'net', 'store', 'process', 'log'],
  openapi: [],
  log: [],
  process: [],
  stellar: [],
  store: [],
  net: [],
  contract: [],
};

const httpServers = /^(koa|koa-bodyparser|@koa\/.*|openapi-backend|express|fastify|node:https?)$/;
const stellar = /^@stellar\//;
const forbiddenPackages: Record<string, RegExp[]> = {
  scheme: [httpServers],
  catalog: [httpServers, stellar, /^undici$/],
};

interface Import {
  file: string;
  /** As written. */
  specifier: string;
  /** The file in this repository, for a relative import. */
  target: string | undefined;
}

const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts', 'demo/**/*.ts']).map((file) =>
  file.replaceAll('\\', '/'),
);
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName: specifier }) => ({
    file,
    specifier,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined,
  }));
}

/** The part of src that a file belongs to: its folder, or what lies beside the folders by its own name. */
function partOf(file: string): string {
  const [, first = ''] = file.split('/');
  return first.replace('.ts', '');
}

const within = (folder: string, file: string): boolean => file.startsWith(`${folder}/`);
const shown = ({ file, specifier }: Import): string => `${file} imports ${specifier}`;

describe('imports', () => {
  const ofSrc = imports.filter(({ file }) => within('src', file));

  test('are found', () => {
    expect(ofSrc.map(shown)).toContain('src/contract/index.ts imports ./types.generated.ts');
  });

  test('every part of src has its place among the arrows', () => {
    const parts = new Set(files.filter((file) => within('src', file)).map(partOf));
    expect(Object.keys(arrows)).toEqual(expect.arrayContaining([...parts]));
  });

  test('point along main, service, http, handlers, scheme and catalog, contract', () => {
    const wrong = ofSrc.filter(({ file, target }) => {
      if (target === undefined || !within('src', target)) return false;
      const [from, to] = [partOf(file), partOf(target)];
      return from !== to && !arrows[from]?.includes(to);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  test('the scheme knows no HTTP server, the catalog neither Stellar nor HTTP', () => {
    const wrong = ofSrc.filter(({ file, specifier }) =>
      forbiddenPackages[partOf(file)]?.some((packages) => packages.test(specifier)),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  test('only tracing knows OpenTelemetry, and is loaded only when it is on', () => {
    const knows = ofSrc.filter(({ specifier }) => specifier.startsWith('@opentelemetry/'));
    expect(new Set(knows.map(({ file }) => partOf(file)))).toEqual(new Set(['tracing']));
    const uses = files.filter((file) => within('src', file) && partOf(file) !== 'tracing').flatMap(valuesOf);
    expect(uses.filter(({ from }) => /(^|\/)tracing\/index\.ts$/.test(from))).toEqual([]);
  });

  test('settle builds on verify, and verify on nothing of it', () => {
    const wrong = ofSrc.filter(
      ({ file, target = '' }) => within('src/scheme/verify', file) && within('src/scheme/settle', target),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  test('the wallet takes nothing from the agents’ tools', () => {
    const wrong = ofSrc.filter(
      ({ file, target = '' }) =>
        within('src/agent/wallet', file) &&
        within('src/agent', target) &&
        !within('src/agent/wallet', target),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  test('src itself has main and service, and folders', () => {
    const loose = files.filter((file) => /^src\/[^/]+\.ts$/.test(file));
    expect(loose.toSorted()).toEqual(['src/main.ts', 'src/service.ts']);
  });

  test('of the configuration, the agents’ side takes what reads a secret key and what finds a misspelled name, which know nothing of the service', () => {
    const taken = ofSrc.filter(
      ({ file, target }) => partOf(file) === 'agent' && target !== undefined && partOf(target) === 'config',
    );
    const common = [
      'src/config/misspelled.ts',
      'src/config/sandboxKeys.ts',
      'src/config/secretFiles.ts',
      'src/config/secretKeys.ts',
    ];
    expect([...new Set(taken.map(({ target }) => target))].toSorted()).toEqual(common);
    expect(imports.filter(({ file }) => common.includes(file)).map(shown)).toEqual([
      'src/config/sandboxKeys.ts imports ../net/loopback.ts',
      'src/config/sandboxKeys.ts imports ./secretKeys.ts',
      'src/config/secretFiles.ts imports node:util',
      'src/config/secretFiles.ts imports ./exposedFile.ts',
      'src/config/secretFiles.ts imports ./regularFile.ts',
      'src/config/secretFiles.ts imports ./secretKeys.ts',
      'src/config/secretKeys.ts imports @stellar/stellar-sdk',
      'src/config/secretKeys.ts imports ../stellar/key.ts',
    ]);
  });

  test('of the contract, scheme, catalog and agent take types and code lists only', () => {
    const wrong = files
      .filter((file) => ['src/scheme', 'src/catalog', 'src/agent'].some((folder) => within(folder, file)))
      .flatMap(contractValuesOf)
      .filter(({ name }) => !name.endsWith('Codes'));
    expect(wrong).toEqual([]);
  });

  test('of the contract, everyone takes the index', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        target !== undefined &&
        within('src/contract', target) &&
        !within('src/contract', file) &&
        target !== 'src/contract/index.ts',
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  test('src takes nothing from outside src, and no @x402 package', () => {
    const wrong = ofSrc.filter(
      ({ specifier, target }) =>
        (target !== undefined && !within('src', target)) || specifier.startsWith('@x402/'),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  test('the console takes types of the contracts and the table of assets only', () => {
    const taken = globSync('console/**/*.{ts,tsx}').flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /from '(\.\.\/)+(src|sandbox|test)\//.test(line)),
    );
    const allowed = /^import (type .*\/src\/contract\/\w+\.generated|.*\/src\/stellar\/assets)\.ts';$/;
    expect(taken.filter((line) => !allowed.test(line))).toEqual([]);
    expect(taken).not.toEqual([]);
  });

  test('sandbox imports from the rest of the repository only what the SDK does not support yet, and for its command line', () => {
    const foreign = imports.filter(
      ({ file, target }) => within('sandbox', file) && target !== undefined && !within('sandbox', target),
    );
    const allowed = 'sandbox/ledger/transaction.ts imports ../../src/stellar/muxedContract.ts';
    const ofCommandLine =
      /^sandbox\/(main|settings)\.ts imports \.\.\/src\/(process\/\w+|config\/misspelled)\.ts$/;
    expect(foreign.map(shown).filter((one) => !ofCommandLine.test(one))).toEqual([allowed]);
  });
});

/** The names that a file imports from the contract as values. */
function contractValuesOf(file: string): { file: string; name: string }[] {
  return valuesOf(file)
    .filter(({ from }) => /\/contract\//.test(from))
    .map(({ name }) => ({ file, name }));
}

/** The names that a file imports as values when it is loaded. */
function valuesOf(file: string): { file: string; from: string; name: string }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isImportDeclaration).flatMap(({ importClause, moduleSpecifier }) => {
    const from = (moduleSpecifier as ts.StringLiteral).text;
    if (!importClause || importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
    const bindings = importClause.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) return [{ file, from, name: '*' }];
    return bindings.elements
      .filter((e) => !e.isTypeOnly)
      .map((e) => ({ file, from, name: (e.propertyName ?? e.name).text }));
  });
}

describe('files', () => {
  test(`have at most ${lineLimit} lines`, () => {
    const long = files
      .filter((file) => !file.includes('.generated.'))
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > lineLimit);
    expect(long).toEqual([]);
  });
});
