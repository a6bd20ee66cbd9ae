import { writeFile } from 'node:fs/promises';
import { generate, generatedUrl } from './generate.ts';

for (const [name, text] of await generate()) {
  await writeFile(new URL(name, generatedUrl), text);
  console.log(`src/${name}`);
}
