import type { Keypair } from '@stellar/stellar-sdk';
import type { RemoteNode } from './nodes.ts';
import type { Settings } from './serviceProcess.ts';
import { SUBMITTERS, type Start } from './steps.ts';

/** Holds what there is to choose from. */
interface Means {
  readonly keys: readonly Keypair[];
  readonly feeBump: Keypair;
  readonly nodes: readonly RemoteNode[];
  /** Instances that share a database have all submitters. */
  readonly isShared: boolean;
}

/** Returns what a start gives a process. */
export function settingsOf(
  { firstSubmitter, submitters, hasFeeBump, nodes: count, skewSeconds, latencyMs }: Start,
  { keys, feeBump, nodes, isShared }: Means,
): Settings {
  const some = Array.from({ length: submitters }, (_, nth) => keys[(firstSubmitter + nth) % SUBMITTERS]!);
  const chosen = isShared ? keys : some;
  return {
    submitters: chosen,
    feeBump: hasFeeBump ? feeBump : undefined,
    nodes: nodes.slice(0, count),
    skewMs: skewSeconds * 1_000,
    latencyMs,
  };
}
