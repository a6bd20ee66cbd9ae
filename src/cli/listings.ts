import { isRecipient } from '../stellar/addresses.ts';
import { action, type Action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

type Word = 'hide' | 'unhide' | 'remove' | 'block' | 'unblock';

const list = action({
  options: {
    payTo: { type: 'string' },
    origin: { type: 'string' },
    text: { type: 'string' },
    hidden: { type: 'boolean' },
    shown: { type: 'boolean' },
    after: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run({ values: { payTo, origin, text, hidden, shown, after, limit, json } }, context) {
    if (hidden === true && shown === true) throw wrongUsage('give --hidden or --shown, not both');
    const isHidden = hidden === true ? true : shown === true ? false : undefined;
    const filters = { payTo, origin, text, isHidden };
    const { listListings } = await import('./listings/list.ts');
    const page = {
      after: after === undefined ? undefined : numberOf('--after', after),
      limit: limitOf(limit),
    };
    await listListings({ ...filters, ...page }, json, context);
    return 0;
  },
});

const show = action({
  operands: ['<id>'],
  options: { json: { type: 'boolean', default: false } },
  async run({ operands: [id = ''], values: { json } }, context) {
    const { showListing } = await import('./listings/list.ts');
    await showListing(numberOf('<id>', id), json, context);
    return 0;
  },
});

function onListing(word: Extract<Word, 'hide' | 'unhide' | 'remove'>): Action {
  return action({
    operands: ['<id>'],
    options: { reason: { type: 'string' } },
    async run({ operands: [id = ''], values: { reason } }, context) {
      const { actOnListing } = await import('./listings/actions.ts');
      await actOnListing(word, numberOf('<id>', id), reasonOf(reason), context);
      return 0;
    },
  });
}

function onTarget(word: Extract<Word, 'block' | 'unblock'>): Action {
  return action({
    operands: ['<origin or recipient>'],
    options: { reason: { type: 'string' } },
    async run({ operands: [target = ''], values: { reason } }, context) {
      const { actOnTarget } = await import('./listings/actions.ts');
      await actOnTarget(word, targetOf(target), reasonOf(reason), context);
      return 0;
    },
  });
}

const blocks = action({
  options: { json: { type: 'boolean', default: false } },
  async run({ values: { json } }, context) {
    const { listBlocks } = await import('./listings/list.ts');
    await listBlocks(json, context);
    return 0;
  },
});

const acts = action({
  options: {
    before: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  async run({ values: { before, limit, json } }, context) {
    const { listActs } = await import('./listings/list.ts');
    const from = before === undefined ? undefined : numberOf('--before', before);
    await listActs({ before: from, limit: limitOf(limit) }, json, context);
    return 0;
  },
});

export const listings: Command = {
  name: 'listings',
  summary: 'Shows the catalog, hides and removes listings, and blocks sellers, even while the service runs',
  usage: [
    'list [--payTo <address>] [--origin <origin>] [--text <text>] [--hidden | --shown] [--after <id>] [--limit <n>] [--json]',
    'show <id> [--json]',
    'hide <id> --reason <text>',
    'unhide <id> --reason <text>',
    'remove <id> --reason <text>',
    'block <origin or recipient> --reason <text>',
    'unblock <origin or recipient> --reason <text>',
    'blocks [--json]',
    'acts [--before <id>] [--limit <n>] [--json]',
  ],
  details: `list     shows the listings in the order in which they were made, including hidden ones, and those that catalog check
         found stale
  --payTo <address>   only those of this recipient and its muxed addresses
  --origin <origin>   only those of this origin, such as https://api.example.com
  --text <text>       only those whose URL contains this text
  --hidden, --shown   only hidden or blocked listings; only the others
  --after <id>        begins after this listing
  --limit <n>         1 to ${MAX_LIMIT}; ${DEFAULT_LIMIT} by default
show     shows one listing in full, and what was done to it

hide     takes a listing out of lists and searches. Payments still update it, but do not bring it back.
unhide   shows it again, as the latest payment left it
remove   deletes a listing. A later payment lists it as new: to keep it out, hide it, or block its origin or
         recipient.
block    hides all listings of an origin or a recipient, and refuses new ones. A muxed address counts as the account or
         contract behind it. If the command is cut off, run it again, or the service's next start
         finishes it.
unblock  ends a block. Listings that were hidden themselves, or are covered by another block, stay hidden.
blocks   shows what is blocked
acts     shows what was done, when, by whom and why, latest first
  --before <id>       begins before this act

  --reason <text>     why, in one line of up to 500 characters. It is recorded with your user name. Sellers never see it:
                      EXTENSION-RESPONSES says only bazaar_listing_blocked.
  --json              prints JSON, for programs

The service sees changes at once, other instances within about a second.

Environment, as for the service: DB_PATH, or DATABASE_URL.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  actions: {
    list,
    show,
    hide: onListing('hide'),
    unhide: onListing('unhide'),
    remove: onListing('remove'),
    block: onTarget('block'),
    unblock: onTarget('unblock'),
    blocks,
    acts,
  },
};

function numberOf(name: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw wrongUsage(`${name} must be an id, such as list shows`);
  return Number(text);
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw wrongUsage(`--limit must be a whole number from 1 to ${MAX_LIMIT}`);
  return limit;
}

function reasonOf(text = ''): string {
  if (text.trim() === '') throw wrongUsage('--reason needs a text that says why, for the record');
  return text;
}

function targetOf(text: string): { kind: 'origin' | 'recipient'; value: string } {
  if (isRecipient(text)) return { kind: 'recipient', value: text };
  if (/^https?:\/\//i.test(text)) return { kind: 'origin', value: text };
  throw wrongUsage(
    '<origin or recipient> must be an origin such as https://api.example.com, or an address: G…, C…, M… or W…',
  );
}
