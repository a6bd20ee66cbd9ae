import type { Catalog } from '../../catalog/index.ts';
import type { Handlers, In, Out } from '../../contract/index.ts';
import { errorBody } from '../errorBody.ts';
import { defaultMessage } from '../messages.ts';
import type { CheckSigned } from './signed.ts';

type ListingHandlers = Required<Pick<Handlers, 'hideListing' | 'restoreListing'>>;

/** Lets recipients hide their listings, and show them again. */
export function createListingHandlers(
  sellers: Catalog['sellers'],
  checkSigned: CheckSigned,
): ListingHandlers {
  async function act(
    action: 'hide' | 'restore',
    { body, caller }: In<'hideListing' | 'restoreListing'>,
  ): Promise<Out<'hideListing'> & Out<'restoreListing'>> {
    const signedAtMs = checkSigned(action, body);
    if (typeof signedAtMs === 'object') return { status: 403, body: errorBody(signedAtMs) };
    const { recipient: owner, resource, type, toolName = '' } = body;
    const listing = { resource, type, toolName };
    const isHidden = action === 'hide';
    const outcome = await sellers.setHidden({ listing, owner, isHidden, signedAtMs }, caller);
    if (typeof outcome === 'object') return { status: 503, body: errorBody(outcome) };
    if (outcome === 'unknown') return { status: 404, body: refusal('svc_unknown_listing') };
    if (outcome === 'outdated') return { status: 409, body: refusal('svc_used_signature') };
    return { status: 200, body: { status: outcome } };
  }
  return {
    hideListing: (input) => act('hide', input),
    restoreListing: (input) => act('restore', input),
  };
}

function refusal(code: 'svc_unknown_listing' | 'svc_used_signature') {
  return errorBody({ code, message: defaultMessage(code) });
}
