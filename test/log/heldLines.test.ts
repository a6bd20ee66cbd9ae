import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeldLines } from '../../src/log/heldLines.ts';
import { linesTo } from '../../src/agent/log.ts';
import { Writable } from 'node:stream';

const LIMIT_BYTES = 400;

/** A line is added, a part of what is held (in percent) is written, or what is held is lost. */
const step = fc.oneof(
  fc.record({ add: fc.integer({ min: 0, max: 120 }) }),
  fc.record({ write: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ write: fc.constant(100) }),
  fc.constant({ lose: true }),
);

test('whatever is written and lost: each line is there as it was and in its order, or counted; none is glued to another', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const held = createHeldLines(LIMIT_BYTES);
      let file = '';
      let added = 0;
      const write = (share: number): void => {
        const bytes = held.next().subarray(0, Math.ceil((held.next().length * share) / 100));
        file += bytes.toString();
        held.wrote(bytes.length);
      };
      for (const taken of steps) {
        if ('add' in taken)
          held.add(`${JSON.stringify({ nth: (added += 1), text: 'é'.repeat(taken.add) })}\n`);
        else if ('write' in taken) write(taken.write);
        else held.lose();
        expect(held.waitingBytes()).toBeLessThanOrEqual(LIMIT_BYTES);
      }
      while (held.next().length > 0) write(100);
      const lostLines = held.lostLines();
      const found = file
        .split('\n')
        .filter((line) => line !== '')
        .flatMap(whole);
      const numbers = found.flatMap(({ nth }) => nth ?? []);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const lost = found.reduce((sum, { lines = 0 }) => sum + lines, 0);
      expect(numbers.length + lost).toBe(added);
      expect(lostLines).toBe(lost);
    }),
    { numRuns: 2_000 },
  );
});

/** Nothing of a line that was cut: it is the beginning of one, and nothing else. */
function whole(line: string): { nth?: number; lines?: number }[] {
  try {
    return [JSON.parse(line) as { nth?: number }];
  } catch {
    expect(line.lastIndexOf('{')).toBe(0);
    return [];
  }
}

test('the log of the tool server holds a bounded number of unread bytes, and tells how many lines were lost', () => {
  const taken: string[] = [];
  let takeOn = (): void => {};
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      takeOn = done;
    },
  });
  const maxUnreadBytes = 64 * 1024;
  const write = linesTo(stream, maxUnreadBytes);
  const line = `${'x'.repeat(1023)}\n`;
  for (let nth = 0; nth < 2 * (maxUnreadBytes / line.length); nth += 1) write(line);
  expect(stream.writableLength).toBe(maxUnreadBytes);
  while (stream.writableLength > 0) takeOn();
  write(line);
  expect(taken.at(-1)).toMatch(/^\n\{.+"lines":64,"msg":"log lines were lost"\}\nx+\n$/);
});
