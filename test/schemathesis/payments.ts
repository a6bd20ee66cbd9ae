/** Payments for whoever cannot sign them: a server that answers every request with a new one, as a body to settle. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SUBJECTS, type FilledService } from '../support/filledService.ts';

export async function openPayments(
  service: FilledService,
): Promise<AsyncDisposable & { readonly url: string }> {
  let given = 0;
  const server = createServer((_request, response) => {
    nextPayment(service, given++).then(
      (payment) => response.end(JSON.stringify(payment)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

/** In turn: not to be listed, to be listed, and for a listing that belongs to someone else. */
function nextPayment(service: FilledService, given: number): ReturnType<FilledService['payment']> {
  const subject = SUBJECTS[given % SUBJECTS.length];
  if (given % 3 === 0) return service.payment();
  if (given % 3 === 1) return service.payment(subject);
  return service.payment(subject, { payTo: service.sandbox.account(0n).publicKey() });
}
