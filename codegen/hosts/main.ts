import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mcpBundle } from './bundle.ts';
import { PACKAGE } from './package.ts';

const file = `build/${PACKAGE.name}-${PACKAGE.version}.mcpb`;
const bundle = mcpBundle();
mkdirSync('build', { recursive: true });
writeFileSync(file, bundle);
console.log(`${file}  ${bundle.length} bytes  SHA-256 ${createHash('sha256').update(bundle).digest('hex')}`);
