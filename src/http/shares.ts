/** A caller's part of a limited resource: a connection, or bytes in memory. */
export interface Share {
  /** Changes the amount. Other shares, or this one, may have to give way for that. */
  resize(amount: number): void;
  /** Stops this share from giving way, since somebody else's work depends on it. */
  keep(): void;
  /** Lets this share give way when room is needed. It counts as new. */
  offer(): void;
  /** Gives the amount back. */
  release(): void;
}

/** Counts the shares of all callers in one limited resource. */
export interface Shares {
  /**
   * Counts `amount` for a caller. `giveWay` is called at most once, when others need the room. It must end the holder
   * of the share, and may be called before `take` returns.
   */
  take(caller: string, amount: number, giveWay: () => void): Share;
}

interface Holding {
  readonly caller: string;
  readonly giveWay: () => void;
  amount: number;
  isOver: boolean;
}

interface Holder {
  amount: number;
  /** Shares that may give way, oldest first. */
  readonly offered: Set<Holding>;
}

interface Resource {
  readonly limits: { inAll: number; perCaller: number };
  /** By caller. */
  readonly holders: Map<string, Holder>;
  inAll: number;
}

/**
 * Shares a limited resource among callers. If it runs out, the oldest share of the caller that holds the most gives
 * way. If a caller holds more than it may, its own oldest share gives way. So a caller can crowd out only itself,
 * and a newcomer gets in however much others hold.
 */
export function createShares(limits: Resource['limits']): Shares {
  const resource: Resource = { limits, holders: new Map(), inAll: 0 };
  return {
    take(caller, amount, giveWay) {
      const holding: Holding = { caller, giveWay, amount: 0, isOver: false };
      const share: Share = {
        resize: (now) => resize(resource, holding, now),
        keep: () => void holderOf(resource, holding)?.offered.delete(holding),
        offer: () => void holderOf(resource, holding)?.offered.add(holding),
        release: () => release(resource, holding),
      };
      share.offer();
      share.resize(amount);
      return share;
    },
  };
}

/** Finds or creates the holder. Returns undefined if the share is over. */
function holderOf({ holders }: Resource, { caller, isOver }: Holding): Holder | undefined {
  if (isOver) return undefined;
  let holder = holders.get(caller);
  if (holder === undefined) holders.set(caller, (holder = { amount: 0, offered: new Set() }));
  return holder;
}

function resize(resource: Resource, holding: Holding, amount: number): void {
  const holder = holderOf(resource, holding);
  if (holder === undefined) return;
  change(resource, holder, holding, amount);
  makeRoom(resource, holder);
}

function release(resource: Resource, holding: Holding): void {
  const holder = holderOf(resource, holding);
  if (holder === undefined) return;
  holding.isOver = true;
  holder.offered.delete(holding);
  change(resource, holder, holding, 0);
  if (holder.amount === 0 && holder.offered.size === 0) resource.holders.delete(holding.caller);
}

function change(resource: Resource, holder: Holder, holding: Holding, amount: number): void {
  holder.amount += amount - holding.amount;
  resource.inAll += amount - holding.amount;
  holding.amount = amount;
}

function makeRoom(resource: Resource, holder: Holder): void {
  const { limits } = resource;
  while (holder.amount > limits.perCaller && holder.offered.size > 0) endOldest(resource, holder);
  while (resource.inAll > limits.inAll) {
    const greediest = findGreediest(resource);
    if (greediest === undefined) return;
    endOldest(resource, greediest);
  }
}

function findGreediest({ holders }: Resource): Holder | undefined {
  let found: Holder | undefined;
  for (const holder of holders.values()) {
    if (holder.offered.size > 0 && holder.amount > (found?.amount ?? -1)) found = holder;
  }
  return found;
}

function endOldest(resource: Resource, { offered }: Holder): void {
  const [oldest] = offered;
  if (oldest === undefined) return;
  release(resource, oldest);
  oldest.giveWay();
}
