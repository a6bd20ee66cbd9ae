import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { openFacilitator, type Facilitator, type FacilitatorOptions } from '../support/service.ts';
import { ask } from './asking.ts';
import { readOpenMetrics, seriesOf, type Family } from './openMetrics.ts';

export const PREFIX = 'facilitator_';

export async function scrape({ operatorUrl }: Facilitator): Promise<Family[]> {
  return readOpenMetrics((await ask(operatorUrl, '/metrics')).text);
}

/** The values of the service's own series, named without its prefix. */
export function seriesIn(families: readonly Family[]): Map<string, number> {
  const own = families.filter(({ name }) => name.startsWith(PREFIX)).flatMap(({ samples }) => samples);
  return new Map(own.map((sample) => [seriesOf(sample).slice(PREFIX.length), sample.value]));
}

/** How much each counter has grown, and the number of observations of each histogram, by its own name. */
export function countsIn(families: readonly Family[]): Map<string, number> {
  const counted = families.filter(({ type }) => type !== 'gauge');
  return new Map(
    [...seriesIn(counted)]
      .filter(([series]) => /_(?:total|count)(?:\{|$)/.test(series))
      .map(([series, value]) => [series.replace(/_count(?=\{|$)/, ''), value]),
  );
}

/** What has changed between two scrapes, but for the reading of balances: each scrape may do that. */
export async function changesBy(
  facilitator: Facilitator,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = countsIn(await scrape(facilitator));
  await work();
  const after = countsIn(await scrape(facilitator));
  const changes = [...after].map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const);
  return Object.fromEntries(
    changes.filter(([series, by]) => by !== 0 && !series.includes('method="getLedgerEntries"')),
  );
}

/** A payment that asks to be listed. */
export function withListing(request: FacilitatorRequest, name: string): FacilitatorRequest {
  const resource = { url: `https://api.example.com/${name}`, description: name, mimeType: 'text/plain' };
  return { ...request, paymentPayload: { ...request.paymentPayload, resource, extensions: { bazaar } } };
}

/** Scrapes a service to which everything has happened that makes a series of its own. */
export async function scrapeBusyService(
  options: FacilitatorOptions,
  newPayment: () => { request: FacilitatorRequest },
): Promise<Family[]> {
  const facilitator = await openFacilitator({ ...options, operator: {} });
  const { url } = facilitator;
  await facilitator.verify(newPayment().request);
  await fetch(`${url}/verify`, { method: 'POST', body: '{' });
  await facilitator.settle(withListing(newPayment().request, 'weather'));
  await fetch(`${url}/discovery/search?query=weather`);
  await fetch(`${url}/discovery/resources`);
  const families = await scrape(facilitator);
  await facilitator.close();
  return families;
}

/** The labels of each metric, by the names that queries use, without those that Prometheus adds. */
export function labelsIn(families: readonly Family[]): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const { name, samples } of families) {
    if (samples.length === 0 && name.startsWith(PREFIX))
      throw new Error(`${name} has no series: let something happen that makes one`);
    for (const sample of samples) {
      const known = labels.get(sample.name) ?? new Set<string>();
      for (const label of Object.keys(sample.labels)) known.add(label);
      labels.set(sample.name, known);
    }
  }
  return labels;
}
