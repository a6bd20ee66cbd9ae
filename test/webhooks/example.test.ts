import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startChild } from '../catalog/child.ts';
import { signatureHeaders } from '../../src/net/signature.ts';
import { WEBHOOK_SECRET } from '../world/webhookReceiver.ts';

const DOCUMENT = new URL('../../docs/operator-reference.md', import.meta.url);

/** The receiver that the documentation shows, on any free port. */
function example(): string {
  const [, code = ''] = /## Webhooks\n[^]*?```js\n([^]*?)```/.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  const listens = "}).listen(0, '127.0.0.1', function () { console.log(`port ${this.address().port}`); });";
  return code.replace('}).listen(8080);', listens);
}

test('the receiver in the documentation takes what is signed, and nothing else', async () => {
  const args = ['--input-type=module', '--eval', example()];
  const child = startChild(process.execPath, args, { env: { WEBHOOK_SECRET } });
  const [, port] = (await child.line(/^port /)).split(' ');
  const body = JSON.stringify({ type: 'settlement.settled', data: { hash: 'abc' } });
  const send = async (secret: string): Promise<number> => {
    const headers = signatureHeaders(secret, { id: 'settled_abc', body, time: new Date() });
    const url = `http://127.0.0.1:${port}/`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  expect(await send(`whsec_${Buffer.alloc(32, 1).toString('base64')}`)).toBe(400);
  expect(await send(WEBHOOK_SECRET)).toBe(204);
  await expect.poll(() => child.lines().slice(1)).toEqual(['settled_abc abc']);
});
