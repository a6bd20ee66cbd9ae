import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readBody } from '../../src/operator/body.ts';

test('a client that leaves within its body causes no fault', async () => {
  const headers = { 'content-length': '10', 'content-type': 'application/json' };
  const request = Object.assign(
    Readable.from(
      (function* () {
        yield Buffer.from('{');
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      })(),
    ),
    { headers },
  );
  expect(await readBody(request as unknown as IncomingMessage, 100)).toMatchObject({
    code: 'op_invalid_request',
  });
});
