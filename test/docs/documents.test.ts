import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { PROGRAMS } from '../../src/cli/programs.ts';
import { BLOCKS, blocksOf, nameOf, PAGES } from './blocks.ts';
import { changed } from './changed.ts';
import { play } from './scenario.ts';
import { LONG, QUICK } from './scenarios/index.ts';

test('a block is found by its heading, its language and its place, also in a list', () => {
  const page =
    '# One\n```sh\n# no heading\n```\n- a\n\n  ```js\n  if (a)\n    b();\n  ```\n\n```sh\nb\n```\n## Two\n```\nc\n```\n';
  expect(blocksOf('page.md', page).map((one) => [nameOf(one), one.text])).toEqual([
    ['page.md › One, sh 1', '# no heading\n'],
    ['page.md › One, js 1', 'if (a)\n  b();\n'],
    ['page.md › One, sh 2', 'b\n'],
    ['page.md › Two, plain 1', 'c\n'],
  ]);
  expect(() => blocksOf('page.md', '# One\n```sh\na\n')).toThrow('does not end');
});

test('a changed program has the variables of the change in the place of its own', () => {
  const program = "import a from 'a';\nconst b = 1;\nconst c = b;\na(c);";
  const change = "import d from 'd';\nconst e = d;\nconst b = e;";
  const statements = [
    "import d from 'd';",
    "import a from 'a';",
    'const e = d;',
    'const b = e;',
    'const c = b;',
    'a(c);',
  ];
  expect(changed(program, change)).toBe(statements.join('\n'));
  expect(() => changed(program, 'const f = 1;')).toThrow('nothing is replaced');
  expect(changed("app.get('/a', b);\napp.get('/c', d);", "app.get('/c', e);")).toBe(
    "app.get('/a', b);\napp.get('/c', e);",
  );
});

test('each npm script that a page names is there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  const pages = [...PAGES.values(), readFileSync('CONTRIBUTING.md', 'utf8')];
  const names = namedIn(pages, /\bnpm run ([\w:-]+)/g);
  expect(names).toContain('codegen');
  expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('each command of the package that a page names is there', () => {
  const words = namedIn([...PAGES.values()], /\bnpx stellar-facilitator ([a-z-]+)/g);
  expect(words).toContain('rehearse');
  const known = [...COMMANDS, ...PROGRAMS].map(({ name }) => name);
  expect(words.filter((word) => !known.includes(word))).toEqual([]);
});

const namedIn = (pages: readonly string[], pattern: RegExp): string[] =>
  pages.flatMap((page) => [...page.matchAll(pattern)].map(([, name]) => name!));

describe('the code blocks of the documents', () => {
  test('each belongs to a scenario that runs it or reads it', () => {
    const claimed = new Set([...QUICK, ...LONG].flatMap(({ blocks }) => Object.values(blocks)));
    expect(BLOCKS.filter((one) => !claimed.has(one)).map(nameOf)).toEqual([]);
  });

  test('each program imports packages that its page says to install, or the one that the README does', () => {
    const missing = BLOCKS.filter(({ language }) => language === 'js').flatMap(({ document, text }) => {
      const page = PAGES.get(document)!;
      const installed = [...page.matchAll(/`npm install ([^`]+)`/g)].flatMap(([, names]) =>
        names!.split(' '),
      );
      if (/\[Install it\]\(\S*README\.md#try-it\)/.test(page)) installed.push('stellar-facilitator');
      return [...text.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)[^']*'/g)]
        .map(([, name]) => name!)
        .filter((name) => name !== 'node' && !installed.includes(name))
        .map((name) => `${document}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test.each(QUICK)('$rule', (one) => play(one));
});
