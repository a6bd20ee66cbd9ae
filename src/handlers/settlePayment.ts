import type { Catalog, SettledPayment } from '../catalog/index.ts';
import type { ExtensionResponses, Handlers, SettleResponse } from '../contract/index.ts';
import type { Scheme } from '../scheme/index.ts';
import { unsupportedKind } from './kind.ts';
import { defaultMessage } from './messages.ts';

interface Deps {
  scheme: Pick<Scheme, 'kind' | 'settle'>;
  catalog: Pick<Catalog, 'submit'>;
}

export function createSettlePayment({ scheme, catalog }: Deps): Handlers['settlePayment'] {
  return async ({ body: { paymentPayload, paymentRequirements } }) => {
    const errorMessage = unsupportedKind(scheme.kind, paymentRequirements);
    if (errorMessage !== null) {
      const network = paymentRequirements.network || scheme.kind.network;
      const refusal = { errorReason: 'svc_unsupported_kind', errorMessage } as const;
      return { status: 200, body: { success: false, transaction: '', network, ...refusal } };
    }
    const body = withMessage(await scheme.settle({ paymentPayload, paymentRequirements }));
    if (!body.success) return { status: 200, body };
    const { extensions, resource } = paymentPayload;
    const headers = await catalogHeaders(catalog, {
      extensions,
      resource,
      requirements: paymentRequirements,
    });
    return { status: 200, body, headers };
  };
}

/** What came of the listing, as a header (specification 4.2). Whatever the catalog does, the settlement stands. */
async function catalogHeaders(
  catalog: Pick<Catalog, 'submit'>,
  settled: SettledPayment,
): Promise<Record<string, string>> {
  try {
    const outcome = await catalog.submit(settled);
    if (outcome === null) return {};
    const responses: ExtensionResponses = { bazaar: outcome };
    return { 'EXTENSION-RESPONSES': Buffer.from(JSON.stringify(responses)).toString('base64') };
  } catch {
    return {};
  }
}

function withMessage(result: SettleResponse): SettleResponse {
  if (result.success || result.errorMessage) return result;
  return { ...result, errorMessage: defaultMessage(result.errorReason) };
}
