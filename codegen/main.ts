import { writeFile } from 'node:fs/promises';
import { generate, generatedUrl } from './generate.ts';
import { SERVER_JSON, serverJson } from './hosts/serverJson.ts';
import { assembleKernel, KERNEL } from './kernel.ts';

for (const [name, text] of await generate()) {
  await writeFile(new URL(name, generatedUrl), text);
  console.log(`src/${name}`);
}

await writeFile(KERNEL, await assembleKernel());
await writeFile(SERVER_JSON, serverJson());
