import { expect } from 'vitest';
import { signatureHeaders } from '../../../src/net/signature.ts';
import { startChild } from '../../catalog/child.ts';
import { freePort } from '../../support/freePort.ts';
import { WEBHOOK_SECRET } from '../../world/webhookReceiver.ts';
import { block } from '../blocks.ts';
import { scenario } from '../scenario.ts';
import { fill } from '../substitutions.ts';

export const receiver = scenario({
  rule: 'the receiver of webhooks takes what is signed, and nothing else',
  blocks: { program: block('docs/operator-reference.md', 'Webhooks', 'js') },
  async play({ program }) {
    const port = await freePort();
    const code = fill(program, { 'listen(8080': `listen(${port}` });
    const args = ['--input-type=module', '--eval', code];
    const child = startChild(process.execPath, args, { env: { WEBHOOK_SECRET } });
    const body = JSON.stringify({ type: 'settlement.settled', data: { hash: 'abc' } });
    const send = async (secret: string): Promise<number> => {
      const headers = signatureHeaders(secret, { id: 'settled_abc', body, time: new Date() });
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    };
    const otherSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    await expect.poll(() => send(otherSecret).catch(() => 'not up yet')).toBe(400);
    expect(await send(WEBHOOK_SECRET)).toBe(204);
    await expect.poll(() => child.lines()).toEqual(['settled_abc abc']);
  },
});
