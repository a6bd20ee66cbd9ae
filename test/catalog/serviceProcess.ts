/** The whole service, as `npm start` runs it, in a process of its own; what it is paid for is to be listed. */
import { resolve } from 'node:path';
import { expect } from 'vitest';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { ask, JSON_TYPE } from '../http/support.ts';
import { expectDocumented } from '../support/contract.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { startChild, type Child } from './child.ts';
import { urlOf } from './drafts.ts';
import { bazaar } from './settledPayments.ts';

/** A listing that soon fills a small disk. */
export const LARGE = { bazaar: { ...bazaar, schema: { ...bazaar.schema, title: 'x'.repeat(40_000) } } };

interface Process extends Child {
  url: string;
}

interface Paid {
  /** Whether the header said that the resource is listed; undefined without header. */
  listed: boolean | undefined;
}

/** Opens a network before the file's tests, on which services are started and paid. */
export function useServiceProcess() {
  const stage = useStage({ withFeeBump: false });
  const settlements = settlementsOn(stage);

  /** `blocks` limits the size of files: of 512 bytes each. */
  async function start(
    path: string,
    { submitters = 1, blocks = 'unlimited', cwd = '.', settings = {} } = {},
  ): Promise<Process> {
    const keys = Array.from({ length: submitters }, () => stage.sandbox.submitter());
    const env = {
      DB_PATH: path,
      PORT: '0',
      RPC_URL: stage.sandbox.url,
      SUBMITTER_SECRET: keys.map((key) => key.secret()).join(),
      ...settings,
    };
    const limited = `ulimit -f ${blocks} && exec "$0" ${resolve('dist/stellar-facilitator.js')}`;
    const child = startChild('/bin/sh', ['-c', limited, process.execPath], { env, cwd });
    const { url } = logged(await child.line(/"url":"http/)) as { url: string };
    return { ...child, url };
  }

  /** Pays, and holds the answer to the bytes that every settlement has. */
  async function pay(url: string, key: string, extensions: object = { bazaar }): Promise<Paid> {
    const payment = settlements.newPayment();
    const { paymentPayload, ...request } = payment.request;
    const resource = { url: urlOf(key), description: key };
    const body = JSON.stringify({ ...request, paymentPayload: { ...paymentPayload, resource, extensions } });
    const answer = await fetch(`${url}/settle`, { method: 'POST', headers: JSON_TYPE, body });
    const text = await answer.text();
    const { status, headers } = answer;
    expectDocumented({ method: 'POST', path: '/settle', status, headers, body: text });
    const transaction = settlements.expectSettled(JSON.parse(text), payment);
    expect(text).toBe(
      `{"success":true,"transaction":"${transaction}","network":"stellar:testnet","payer":"${payment.payer}"}`,
    );
    const header = headers.get('extension-responses');
    if (header === null) return { listed: undefined };
    const outcome = JSON.parse(Buffer.from(header, 'base64').toString()) as { bazaar: { status: string } };
    return { listed: outcome.bazaar.status === 'success' };
  }

  return { start, pay, urlsListed, stop };
}

async function urlsListed(url: string): Promise<string[]> {
  const { status, body } = await ask(`${url}/discovery/resources`);
  expect(status).toBe(200);
  return (body as DiscoveryListResponse).items.map(({ resource }) => resource);
}

async function stop(service: Child): Promise<Record<string, unknown>[]> {
  service.kill('SIGTERM');
  const { code, lines, stderr } = await service.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return lines.map(logged);
}

const logged = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;
