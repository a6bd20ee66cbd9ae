/** What the package ships, read by somebody who has nothing else. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

/** The texts of the package for people, by their paths. Comments of Markdown are not shown. */
const packed = filesOfPackage();
const texts = new Map(
  packed
    .filter((file) => /\.(md|svg|yaml|service|example)$/.test(file) && !file.startsWith('dist/'))
    .map((file) => [file, readFileSync(file, 'utf8').replaceAll(/<!--[^]*?-->/g, '')]),
);

function filesOfPackage(): string[] {
  const json = execFileSync('npm', ['pack', '--json', '--dry-run', '--ignore-scripts', '--offline'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(json) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

test('each link of a packed document leads to a packed file, and to a heading that it has', () => {
  const links = [...texts].flatMap(([file, text]) =>
    file.endsWith('.md')
      ? [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ file, link }))
      : [],
  );
  const dead = links.filter(({ file, link }) => !/^https?:/.test(link) && !leads(file, link));
  expect(links.length).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});

function leads(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  return packed.includes(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

/** As GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = [...(texts.get(file) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Commands that need the sources. */
const OF_THE_REPOSITORY = /\bnpm (ci|test|start|pack|run \S+)|\bgit clone\b|\bdocker (build|compose)\b/g;

test('a packed text names commands of the repository only where it says that they need a clone', () => {
  const found = [...texts].flatMap(([file, text]) =>
    paragraphsOf(text)
      .filter((paragraph) => !/\bclone\b/.test(paragraph))
      .flatMap((paragraph) => [...paragraph.matchAll(OF_THE_REPOSITORY)])
      .map(([command]) => `${file}: ${command}`),
  );
  expect(found).toEqual([]);
});

/** A code block belongs to the paragraph before it. */
function paragraphsOf(text: string): string[] {
  return text.replaceAll(/\n+(?=```\w)/g, '\n').split(/\n\n+/);
}
