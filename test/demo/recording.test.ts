import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recordingOf, RECORDING_URL } from '../../demo/recording/recording.ts';
import { steady } from '../../demo/recording/steady.ts';
import { colouredDemo } from './run.ts';

test('docs/demo.svg shows what the demo prints (else npm run recording), and that names pages to read', async () => {
  const { output, exitCode } = colouredDemo();
  expect(await exitCode, output.stderr).toBe(0);
  expect(output.stderr).toBe('');
  expect(recordingOf(output.stdout)).toBe(readFileSync(RECORDING_URL, 'utf8'));
  const [, next = ''] = output.stdout.split('What to read next');
  const pages = next.match(/docs\/\w+\.md/g) ?? [];
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.filter((page) => !existsSync(page))).toEqual([]);
});

/** What differs between demos, as they print it. */
function demoWith(nth: number): string {
  const [address, hash] = [`G${'ABC'[nth]!.repeat(55)}`, String(nth).repeat(64)];
  const short = `${hash.slice(0, 6)}…${hash.slice(-6)}`;
  const [fee, lumens, left] = [
    ['23765', '0.0023765', '99.9976235 (999976235)'],
    ['23760', '0.002376', '99.997624 (999976240)'],
    ['103765', '0.0103765', '99.9896235 (999896235)'],
  ][nth] as [string, string, string];
  const start = 1_000 + 7 * nth;
  return `   network      http://127.0.0.1:${4_000 + nth}, ledger ${start}, one per second
   \u001b[2mpayer       \u001b[22m ${address}, until ledger ${start + 60} (now ${start + nth})
   \u001b[2mledger      \u001b[22m ${start + 2 * nth}
   \u001b[2mtransaction \u001b[22m ${hash}, ${short}, ledger ${start + 3}
   \u001b[2mfee         \u001b[22m ${fee} stroops = ${lumens} XLM
   fee account    100 (1000000000)  ${left.padStart(22)}  ${`-${lumens} (-${fee})`.padStart(22)}
   listed  EXTENSION-RESPONSES: bazaar ${nth === 1 ? 'not known yet' : 'success'}
Done in ${nth}.5 s.`;
}

test('keys, hashes, ports, ledgers, the fee and the time do not change the recording', () => {
  const first = steady(demoWith(0));
  expect([steady(demoWith(1)), steady(demoWith(2))]).toEqual([first, first]);
  expect(first).toContain('23765 stroops = 0.0023765 XLM');
  expect(first).not.toContain('00000000000000');
});

test('the recording needs no script, no font and no other file', () => {
  const recording = readFileSync(RECORDING_URL, 'utf8');
  expect(recording).not.toMatch(/<script|@font-face|@import|url\(|href/);
  expect(recording).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox=/);
});
