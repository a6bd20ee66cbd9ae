import { readMetadata, type Catalog } from '../../catalog/index.ts';
import type { Handlers, In, Out } from '../../contract/index.ts';
import { errorBody } from '../errorBody.ts';
import { defaultMessage } from '../messages.ts';
import type { CheckSigned } from './signed.ts';

type ListingOperation = 'hideListing' | 'restoreListing' | 'describeListing';
type ListingHandlers = Required<Pick<Handlers, ListingOperation>>;
type Answer = Out<'hideListing'> & Out<'restoreListing'> & Out<'describeListing'>;
type Sellers = Catalog['sellers'];
/** What a recipient has signed, without what it is about. */
type Signed = Omit<Parameters<Sellers['setHidden']>[0], 'isHidden'>;

/** Says what is wrong with a description. */
interface Defect {
  readonly defect: string;
}

/** Lets recipients hide their listings, show them again, and describe them. */
export function createListingHandlers(sellers: Sellers, checkSigned: CheckSigned): ListingHandlers {
  async function act(
    action: string,
    body: In<ListingOperation>['body'],
    carryOut: (signed: Signed) => ReturnType<Sellers['setHidden']> | Defect,
  ): Promise<Answer> {
    const signedAtMs = checkSigned(action, body);
    if (typeof signedAtMs === 'object') return { status: 403, body: errorBody(signedAtMs) };
    const { recipient: owner, resource, type, toolName = '' } = body;
    const outcome = await carryOut({ listing: { resource, type, toolName }, owner, signedAtMs });
    if (typeof outcome === 'object' && 'defect' in outcome)
      return { status: 400, body: refusal('svc_malformed_request_body', outcome.defect) };
    if (typeof outcome === 'object') return { status: 503, body: errorBody(outcome) };
    if (outcome === 'unknown') return { status: 404, body: refusal('svc_unknown_listing') };
    if (outcome === 'outdated') return { status: 409, body: refusal('svc_used_signature') };
    return { status: 200, body: { status: outcome } };
  }

  return {
    hideListing: ({ body, caller }) =>
      act('hide', body, (signed) => sellers.setHidden({ ...signed, isHidden: true }, caller)),
    restoreListing: ({ body, caller }) =>
      act('restore', body, (signed) => sellers.setHidden({ ...signed, isHidden: false }, caller)),
    describeListing: ({ body, caller }) =>
      act('describe', body, (signed) => {
        const metadata = metadataIn(body);
        return 'defect' in metadata ? metadata : sellers.describe({ ...signed, metadata }, caller);
      }),
  };
}

const FIELDS = ['serviceName', 'description', 'tags', 'iconUrl'] as const;

/** Reads what a description says, by the rules for what is declared. Nothing is dropped or shortened silently. */
function metadataIn(body: In<'describeListing'>['body']): ReturnType<typeof readMetadata> | Defect {
  const { serviceName, description, tags, iconUrl } = body;
  const metadata = readMetadata({ serviceName, description, tags, iconUrl });
  const wrong = FIELDS.find((name) => JSON.stringify(metadata[name]) !== JSON.stringify(body[name]));
  return wrong === undefined ? metadata : { defect: `${wrong} is not one that a listing can have.` };
}

function refusal(
  code: 'svc_unknown_listing' | 'svc_used_signature' | 'svc_malformed_request_body',
  message = defaultMessage(code),
) {
  return errorBody({ code, message });
}
