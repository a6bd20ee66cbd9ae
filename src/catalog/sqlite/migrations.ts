/**
 * The steps that create and update the file; `user_version` counts the steps that were taken. Never change a step that
 * was released: add another.
 *
 * Rows of listings are never deleted, so their ids are dense. One that the operator removed keeps an empty row, which
 * frees its name. Blocks group listings by id. `posting`, `member` and `length` hold rows per block, see blocks.ts.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row: what a ranking depends on. 'clock' counts the listings that were reworded.
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    listings INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    cursor_key BLOB NOT NULL
  ) STRICT;
  INSERT INTO state VALUES (1, 0, 0, 0, randomblob(32));

  CREATE TABLE listing (
    id INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    type TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    -- The payTo of the settlement that created it.
    owner TEXT NOT NULL,
    -- JSON, as it is served.
    item TEXT NOT NULL,
    -- JSON: pairs of a word and its weighted occurrences.
    words TEXT NOT NULL,
    length INTEGER NOT NULL,
    UNIQUE (resource, type, tool_name)
  ) STRICT;

  -- What refreshed listings said before: 'listing' until the clock was 'reworded'.
  CREATE TABLE earlier_wording (
    reworded INTEGER PRIMARY KEY,
    listing INTEGER NOT NULL,
    words TEXT NOT NULL,
    length INTEGER NOT NULL
  ) STRICT;

  -- Words, and in which listings of a block each stands.
  CREATE TABLE word (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, listings INTEGER NOT NULL) STRICT;
  CREATE TABLE posting (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE length (block INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

  -- Facets, and which listings of a block are under each.
  CREATE TABLE facet (id INTEGER PRIMARY KEY, facet TEXT NOT NULL UNIQUE, listings INTEGER NOT NULL) STRICT;
  CREATE TABLE member (id INTEGER PRIMARY KEY, listings INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
  `,
  `
  -- When the ledger closed that holds the latest settlement, in unix seconds; null where that is not known.
  ALTER TABLE listing ADD COLUMN closed_at INTEGER;
  `,
  `
  -- New listings of the last hour: how many each owner may make is limited.
  CREATE TABLE new_listing (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, made_at INTEGER NOT NULL) STRICT;
  CREATE INDEX new_listing_owner ON new_listing (owner, made_at);
  CREATE INDEX new_listing_made_at ON new_listing (made_at);

  -- Where a listing's tool was known by a long name, its hash stands now.
  UPDATE OR IGNORE listing SET tool_name = tool_key(tool_name) WHERE length(tool_name) > 256;

  -- Words are limited from now on, in length and all together. No listing is worded anew for it: of the index nothing is
  -- wrong, since a listing's next sale takes out the words that stand in its row. Until then a listing may have more
  -- words than it may have now, and is not found by one of more than 64 letters.
  `,
  `
  -- A listing's URL is normalised further. Of those that are one from now on the oldest has the name, unless one has it
  -- already; the others stay as they are, and are refreshed no more. Some seconds for a million listings.
  UPDATE OR IGNORE listing
  SET resource = canonical_resource(resource), item = renamed_item(item, canonical_resource(resource))
  WHERE resource <> canonical_resource(resource);
  `,
  `
  -- The ledger that holds the latest settlement; null if it is not known. Several ledgers may close within a second.
  ALTER TABLE listing ADD COLUMN ledger INTEGER;
  `,
  `
  -- Where instances share the catalog, this file is an index of its log. One row, if so: how far it is. 'state' is 'new'
  -- while the index is filled from empty, 'filled' until it then reaches the end of the log, 'behind' between two later
  -- batches, else 'whole'. A listing has the position of its latest entry.
  CREATE TABLE replica (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    checksum TEXT NOT NULL
  ) STRICT;
  ALTER TABLE listing ADD COLUMN position INTEGER;
  `,
  `
  -- What the operator keeps out of lists and searches: listings that are hidden by themselves or removed, and those of
  -- blocked origins and recipients.
  ALTER TABLE listing ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX listing_hidden ON listing (id) WHERE hidden = 1;
  CREATE INDEX listing_owner ON listing (owner);
  CREATE TABLE blocked (
    -- The kind, and what the block covers.
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;

  -- Blocks that do not yet hide all that they cover, and ended ones that do not yet show it again. 'act' is the id of
  -- the latest act on it.
  CREATE TABLE unfinished_block (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    act INTEGER NOT NULL
  ) STRICT;

  -- Which listings of a block of ids are not shown, for any of these reasons.
  CREATE TABLE hidden (block INTEGER PRIMARY KEY, listings INTEGER NOT NULL, data BLOB NOT NULL) STRICT;

  -- Who did so, when and why. 'target' is the key of a block.
  CREATE TABLE keeper_act (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    source TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    listing INTEGER,
    target TEXT,
    reason TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Listings about which a seller has ever signed something: who hides each, and when the seller signed last. A listing is
  -- hidden by itself if either does.
  CREATE TABLE seller_act (
    listing INTEGER PRIMARY KEY,
    by_seller INTEGER NOT NULL,
    by_operator INTEGER NOT NULL,
    signed_at_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Until when the listing shows that its origin names its owner, in unix ms; null if it does not. Follows from 'item'.
  ALTER TABLE listing ADD COLUMN proven_until INTEGER;
  CREATE INDEX listing_proven ON listing (proven_until) WHERE proven_until IS NOT NULL;
  DROP INDEX listing_owner;
  CREATE INDEX listing_owner ON listing (owner, proven_until);
  `,
  `
  -- What listings are filtered by beside their facets. Terms are asset, scheme and network as JSON; a row of 'price' says
  -- which listings of a block have them ('data', as in 'member'), and the lowest amount of each. A row of 'paid_at' says
  -- when each listing of a block was last paid for. Numbers are doubles.
  CREATE TABLE terms (id INTEGER PRIMARY KEY, terms TEXT NOT NULL UNIQUE, listings INTEGER NOT NULL) STRICT;
  CREATE TABLE price (
    id INTEGER PRIMARY KEY,
    listings INTEGER NOT NULL,
    data BLOB NOT NULL,
    amounts BLOB NOT NULL
  ) STRICT;
  CREATE TABLE paid_at (block INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

  -- Listings up to 'last' were there before these tables. The thread that writes enters them in steps; up to 'filled'
  -- it has done so.
  CREATE TABLE traits_fill (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    filled INTEGER NOT NULL,
    last INTEGER NOT NULL
  ) STRICT;
  INSERT INTO traits_fill SELECT 1, 0, listings FROM state;
  `,
  `
  -- Until when each listing of a block shows a proof: doubles, as in 'paid_at'; 0 if it shows none. Blocks without proofs
  -- may have no row.
  CREATE TABLE proven (block INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  INSERT INTO proven
  SELECT block_of(id), proven_row(id, proven_until) FROM listing WHERE proven_until IS NOT NULL GROUP BY block_of(id);
  `,
  `
  -- Who has paid for the listing, as JSON: see payers.ts. Null where nothing is known.
  ALTER TABLE listing ADD COLUMN payers TEXT;
  `,
  `
  -- When an owner signed last about a listing, by a hash of both: it counts once, whatever becomes of the listing.
  CREATE TABLE seller_signed (key TEXT PRIMARY KEY, signed_at_ms INTEGER NOT NULL) STRICT;
  CREATE INDEX seller_signed_by_time ON seller_signed (signed_at_ms);
  `,
];
