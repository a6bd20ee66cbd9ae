/** `npm run recording`: runs the demo, and draws what it prints as docs/demo.svg. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { recordingOf, RECORDING_URL } from './recording.ts';

const DEMO = new URL('../main.ts', import.meta.url).pathname;

const env = { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined };
const { stdout } = await promisify(execFile)(process.execPath, [DEMO], { env });
await writeFile(RECORDING_URL, recordingOf(stdout));
console.log('docs/demo.svg is written');
