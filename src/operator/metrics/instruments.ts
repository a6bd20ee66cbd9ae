import { Counter, Gauge, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client';

/** Makes the metrics of one registry. Each name gets the prefix of this service. */
export interface Instruments {
  /** The name ends in `_total`. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
}

const PREFIX = 'facilitator_';

export function createInstruments(registry: Registry<OpenMetricsContentType>): Instruments {
  const described = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => ({
    name: PREFIX + name,
    help,
    labelNames,
    registers: [registry],
  });
  return {
    counter: (name, help, labels) => new Counter(described(name, help, labels)),
    gauge: (name, help, labels) => new Gauge(described(name, help, labels)),
    histogram: (name, help, buckets, labels) => new Histogram({ ...described(name, help, labels), buckets }),
  };
}

export const seconds = (ms: number): number => ms / 1000;
