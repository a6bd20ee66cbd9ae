import type { Reach } from '../net/reach.ts';
import type { Network } from '../stellar/networks.ts';
import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

/** Returns which origins are asked whom they name; undefined if none are. */
export function readProofs(
  { PROOFS: text = 'off' }: Environment,
  network: Network,
  report: Report,
): Reach | undefined {
  if (!['off', 'on', 'local'].includes(text)) report('PROOFS', 'must be on, off or local');
  if (text === 'local' && network === 'stellar:pubnet')
    report('PROOFS', 'must not be local on stellar:pubnet: strangers could have your network asked');
  if (text === 'local') return 'any';
  return text === 'on' ? 'public' : undefined;
}
