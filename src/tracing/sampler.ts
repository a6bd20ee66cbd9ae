import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/tracing.ts';

/** Creates the sampler of OTEL_TRACES_SAMPLER. A parent-based one follows the caller. */
export function createSampler({
  sampler,
  samplerRatio,
}: Pick<TracingSettings, 'sampler' | 'samplerRatio'>): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root = rootSampler(name!, samplerRatio);
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}
