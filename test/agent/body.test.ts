import { expect, test } from 'vitest';
import { readBody } from '../../src/net/body.ts';

async function* chunked(text: string, chars: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += chars) yield Buffer.from(text.slice(at, at + chars));
}

const read = (text: string, chars: number, maxBytes = 1_000_000) =>
  readBody({ body: chunked(text, chars) } as never, maxBytes);

test.each([1, 7, 70_000, 300_000])('a body is put together from chunks of %i bytes', async (chars) => {
  const text = 'abcdefghij'.repeat(chars === 1 ? 9_000 : 25_000);
  const { bytes, isComplete } = await read(text, chars);
  expect(isComplete).toBe(true);
  expect(bytes.toString()).toBe(text);
});

test.each([1, 7, 100])('is cut at its bound, in chunks of %i bytes', async (chars) => {
  const { bytes, isComplete } = await read('abcdefghij'.repeat(10), chars, 25);
  expect({ text: bytes.toString(), isComplete }).toEqual({
    text: 'abcdefghijabcdefghijabcde',
    isComplete: false,
  });
});

test('that is just as long as its bound is complete', async () => {
  expect(await read('x'.repeat(100), 9, 100)).toMatchObject({ isComplete: true });
});

test('is cut where it comes in ever so many chunks', async () => {
  const { bytes, isComplete } = await read('x'.repeat(150_000), 1);
  expect({ size: bytes.length, isComplete }).toEqual({ size: 100_000, isComplete: false });
});
