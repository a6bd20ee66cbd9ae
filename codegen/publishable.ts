/** Refuses to publish the package while its addresses are those of nobody. `npm publish` runs it first. */
import { readFile } from 'node:fs/promises';

interface Manifest {
  homepage: string;
  repository: { url: string };
  mcpName: string;
}

/** Returns the names of the fields that still have a placeholder: an address that is reserved for examples. */
export function placeholdersIn({ homepage, repository, mcpName }: Manifest): string[] {
  const fields = { homepage, 'repository.url': repository.url, mcpName };
  return Object.entries(fields)
    .filter(([, value]) => /\bexample\.com\b|\bcom\.example\b/.test(value))
    .map(([name]) => name);
}

if (import.meta.main) {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const placeholders = placeholdersIn(JSON.parse(manifest) as Manifest);
  if (placeholders.length > 0) {
    console.error(
      `package.json: set ${placeholders.join(', ')} to addresses of your own, then run npm run codegen`,
    );
    process.exitCode = 1;
  }
}
