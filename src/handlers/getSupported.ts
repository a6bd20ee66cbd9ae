import type { Handlers } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

export function createGetSupported(scheme: Pick<Scheme, 'kind' | 'submitters'>): Handlers['getSupported'] {
  const signers = { 'stellar:*': [...scheme.submitters] };
  return () => ({ status: 200, body: { kinds: [scheme.kind], extensions: ['bazaar'], signers } });
}
