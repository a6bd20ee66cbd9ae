import type { Handlers, SupportedKind } from '../contract/index.ts';
import { RECEIPT_EXTENSION } from '../receipts/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { PAYMENT_IDENTIFIER } from './paymentIdentifier.ts';

export function createGetSupported(
  scheme: Pick<Scheme, 'kind' | 'submitters'>,
  {
    hasReceipts,
    ...deps
  }: {
    requiresKey: boolean;
    servedAssets: () => readonly string[] | undefined;
    hasReceipts: boolean;
  },
): Handlers['getSupported'] {
  const signers = { 'stellar:*': [...scheme.submitters] };
  const extensions = ['bazaar', PAYMENT_IDENTIFIER, ...(hasReceipts ? [RECEIPT_EXTENSION] : [])];
  return () => {
    const kind = { ...scheme.kind, extra: { ...scheme.kind.extra, ...operatorsPart(deps) } };
    return { status: 200, body: { kinds: [kind], extensions: [...extensions], signers } };
  };
}

/** Returns what the operator's settings add to the kind. */
function operatorsPart({
  requiresKey,
  servedAssets,
}: {
  requiresKey: boolean;
  servedAssets: () => readonly string[] | undefined;
}): SupportedKind['extra'] {
  const assets = servedAssets();
  return { ...(assets && { assets: [...assets] }), ...(requiresKey && { requiresKey: true }) };
}
