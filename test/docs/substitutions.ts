/** What a test puts in place of what stands in the documents for people: ports, host names, keys. */
import { freePort } from '../support/freePort.ts';
import type { TestSandbox } from '../support/sandbox.ts';

/** Text as it stands, and what stands for it in the test. */
export type Substitutions = Readonly<Record<string, string>>;

export interface Ports {
  service: number;
  operator: number;
  seller: number;
}

export const freePorts = async (): Promise<Ports> => ({
  service: await freePort(),
  operator: await freePort(),
  seller: await freePort(),
});

/** The addresses that the documents use, whichever of them a block names. */
export const addresses = (sandbox: TestSandbox, ports: Ports): Substitutions => ({
  'http://127.0.0.1:8000': sandbox.url,
  'https://127.0.0.1:8001': sandbox.httpsUrl,
  '127.0.0.1:4021': `127.0.0.1:${ports.service}`,
  '127.0.0.1:4022': `127.0.0.1:${ports.operator}`,
  '127.0.0.1:4030': `127.0.0.1:${ports.seller}`,
  'listen(4030': `listen(${ports.seller}`,
  // The seller's public address.
  'https://sunny.example.com/weather': `http://127.0.0.1:${ports.seller}/weather`,
});

/** Replaces what there is. */
export function substitute(text: string, table: Substitutions): string {
  return Object.entries(table).reduce((now, [written, meant]) => now.replaceAll(written, () => meant), text);
}

/** Replaces each of them, in order and once. Throws if one does not stand there: the document has changed. */
export function fill(text: string, table: Substitutions): string {
  return Object.entries(table).reduce((now, [written, meant]) => {
    if (!now.includes(written)) throw new Error(`“${written}” does not stand in:\n${text}`);
    return now.replace(written, () => meant);
  }, text);
}
