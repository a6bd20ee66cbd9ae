import { readMetadata, type Catalog } from '../../catalog/index.ts';
import type { Handlers, In, ListingOperation, Out } from '../../contract/index.ts';
import { errorBody } from '../errorBody.ts';
import { defaultMessage } from '../messages.ts';
import type { Acts, Wait } from './acts.ts';
import type { CheckSigned } from './signed.ts';

type ListingHandlers = Required<Pick<Handlers, ListingOperation>>;
type Answer = Out<'hideListing'> & Out<'restoreListing'> & Out<'describeListing'> & Out<'confirmListing'>;
type Sellers = Catalog['sellers'];
/** What a recipient has signed, without what it is about. */
type Signed = Omit<Parameters<Sellers['setHidden']>[0], 'isHidden'>;

/** Says what is wrong with a description. */
interface Defect {
  readonly defect: string;
}

/** Lets recipients hide their listings, show them again, describe and confirm them. */
export function createListingHandlers(
  sellers: Sellers,
  checkSigned: CheckSigned,
  acts: Acts,
): ListingHandlers {
  /** Carries out an act, unless there were too many. Only one that was accepted counts. */
  async function counted(
    body: In<ListingOperation>['body'],
    carryOut: () => ReturnType<Sellers['setHidden']> | Defect,
  ): Promise<Awaited<ReturnType<typeof carryOut>> | Wait> {
    const takeBack = acts.count(body);
    if (typeof takeBack === 'object') return takeBack;
    let isAccepted = false;
    try {
      const outcome = await carryOut();
      isAccepted = outcome === 'shown' || outcome === 'hidden';
      return outcome;
    } finally {
      if (!isAccepted) takeBack();
    }
  }

  async function act(
    action: string,
    body: In<ListingOperation>['body'],
    carryOut: (signed: Signed) => ReturnType<Sellers['setHidden']> | Defect,
  ): Promise<Answer> {
    const signedAtMs = checkSigned(action, body);
    if (typeof signedAtMs === 'object') return { status: 403, body: errorBody(signedAtMs) };
    const outcome = await counted(body, () => {
      const { recipient: owner, resource, type, toolName = '' } = body;
      return carryOut({ listing: { resource, type, toolName }, owner, signedAtMs });
    });
    if (typeof outcome === 'object' && 'seconds' in outcome) return tooMany(outcome);
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
    // A description confirms the listing, whatever it says.
    confirmListing: ({ body, caller }) =>
      act('confirm', body, (signed) => sellers.describe({ ...signed, metadata: {} }, caller)),
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

const tooMany = ({ seconds }: Wait) =>
  ({
    status: 429,
    body: refusal('svc_rate_limited'),
    headers: { 'retry-after': String(seconds) },
  }) as const;

function refusal(
  code: 'svc_unknown_listing' | 'svc_used_signature' | 'svc_malformed_request_body' | 'svc_rate_limited',
  message = defaultMessage(code),
) {
  return errorBody({ code, message });
}
