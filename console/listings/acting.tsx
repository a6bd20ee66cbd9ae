/** Offers the acts on a listing and its seller. */
import type { Api, BlockTarget, KeptListing } from '../parts/api.ts';
import { Text } from '../parts/text.tsx';
import { ActButton } from './act.tsx';
import { originOf } from './filters.ts';

const ACTIONS = {
  hide: {
    label: 'Hide',
    title: 'Hide this listing?',
    effect: 'Lists and searches leave it out until you show it again. Payments still update it.',
    done: 'It is hidden.',
  },
  unhide: {
    label: 'Show again',
    title: 'Show this listing again?',
    effect: 'Lists and searches show it, unless its origin or its recipient is blocked.',
    done: 'It is no longer hidden.',
  },
  remove: {
    label: 'Remove',
    title: 'Remove this listing for good?',
    effect: 'It is deleted, and this cannot be undone. The next payment for it lists it again.',
    done: 'It is removed. The next payment for it lists it again.',
  },
} as const;

export type ListingAction = keyof typeof ACTIONS;

interface ActingProps {
  api: Api;
  listing: KeptListing;
  /** The action is undefined if the act was on the seller. */
  onDone(text: string, action: ListingAction | undefined): void;
}

export function Acting({ api, listing, onDone }: ActingProps) {
  const { id, resource, isHidden } = listing;
  const button = (action: ListingAction) => {
    const { label, title, effect, done } = ACTIONS[action];
    return (
      <ActButton
        key={action}
        label={label}
        title={title}
        isGrave={action === 'remove'}
        carryOut={(said) => api.post(`/listings/${id}/acts`, { action, ...said })}
        onDone={() => onDone(done, action)}
      >
        <p>
          <Text text={resource} />
        </p>
        <p>{effect}</p>
      </ActButton>
    );
  };
  return (
    <div class="row" role="group" aria-label="Actions">
      {button(isHidden ? 'unhide' : 'hide')}
      {targetsOf(listing).map(([action, target]) => (
        <BlockButton
          key={`${action} ${target.kind}`}
          api={api}
          action={action}
          target={target}
          onDone={() => onDone(`Its ${target.kind} is ${action}ed.`, undefined)}
        />
      ))}
      {button('remove')}
    </div>
  );
}

/** Returns what can be blocked or unblocked: its origin and its recipient. */
function targetsOf({ resource, payTo, blockedBy }: KeptListing): ['block' | 'unblock', BlockTarget][] {
  const own = { origin: originOf(resource), recipient: payTo };
  return (['origin', 'recipient'] as const).flatMap((kind): ['block' | 'unblock', BlockTarget][] => {
    const inForce = blockedBy.find((target) => target.kind === kind);
    if (inForce !== undefined) return [['unblock', inForce]];
    const value = own[kind];
    return value === undefined ? [] : [['block', { kind, value }]];
  });
}

interface BlockButtonProps {
  api: Api;
  action: 'block' | 'unblock';
  target: BlockTarget;
  onDone(): void;
}

export function BlockButton({ api, action, target: { kind, value }, onDone }: BlockButtonProps) {
  const isBlock = action === 'block';
  return (
    <ActButton
      label={`${isBlock ? 'Block' : 'Unblock'} ${kind}`}
      title={`${isBlock ? 'Block' : 'Unblock'} this ${kind}?`}
      carryOut={(said) => api.post('/blocks', { action, kind, value, ...said })}
      onDone={onDone}
    >
      <p>
        <Text text={value} />
      </p>
      <p>
        {isBlock
          ? 'Lists and searches leave out all its listings, and new ones are refused. Its sellers learn that they are blocked, but not why. Payments settle as always.'
          : 'Its listings are shown again, unless something else hides them, and new ones are accepted.'}
      </p>
    </ActButton>
  );
}
