import { expect, test } from 'vitest';
import { readTraceparent } from '../../src/tracing/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  // A later version may say more.
  [`cc-${TRACE}-${SPAN}-01-what-the-future-adds`, true],
])('%s names the span of a caller', (header, isSampled) => {
  expect(readTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
});

test.each([
  [undefined],
  [''],
  [`00-${TRACE}-${SPAN}-01-more`],
  [`00-${TRACE}-${SPAN}-01-`],
  [`cc-${TRACE}-${SPAN}-01more`],
  [`ff-${TRACE}-${SPAN}-01`],
  [`00-${'0'.repeat(32)}-${SPAN}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
  [`00-${TRACE.slice(1)}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}`],
  [`00-${TRACE}-${SPAN}-1`],
  [` 00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  [[`00-${TRACE}-${SPAN}-01`]],
])('%s names none', (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});
