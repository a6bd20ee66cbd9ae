import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { placeholdersIn } from '../../codegen/publishable.ts';

test('a package with placeholders for addresses is not published', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  expect(manifest.scripts.prepublishOnly).toBe('node codegen/publishable.ts');
  const own = {
    homepage: 'https://facilitator.test/',
    repository: { url: 'git+https://facilitator.test/code.git' },
    mcpName: 'test.facilitator/stellar-facilitator',
  };
  expect(placeholdersIn(own)).toEqual([]);
  expect(placeholdersIn({ ...own, homepage: 'https://example.com/' })).toEqual(['homepage']);
  expect(placeholdersIn({ ...own, repository: { url: 'git+https://example.com/code.git' } })).toEqual([
    'repository.url',
  ]);
  expect(placeholdersIn({ ...own, mcpName: 'com.example/stellar-facilitator' })).toEqual(['mcpName']);
});
