import { servedOperations } from '../contract/index.ts';
import type { Handlers, OperationId } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';

const DISCOVERY = ['listResources', 'searchResources'] satisfies OperationId[];

export function createGetSupported(scheme: Pick<Scheme, 'kind' | 'submitters'>): Handlers['getSupported'] {
  const served: readonly string[] = servedOperations.map(({ operationId }) => operationId);
  const extensions = DISCOVERY.every((operationId) => served.includes(operationId)) ? ['bazaar'] : [];
  const signers = { 'stellar:*': [...scheme.submitters] };
  return () => ({ status: 200, body: { kinds: [scheme.kind], extensions, signers } });
}
