/** An address's part of a limited resource: a connection, or bytes in memory. */
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

/** Counts the shares of all addresses in one limited resource. */
export interface Shares {
  /**
   * Counts `amount` for an address. `giveWay` is called at most once, when others need the room. It must end the holder
   * of the share, and may be called before `take` returns.
   */
  take(address: string, amount: number, giveWay: () => void): Share;
}

interface Holding {
  amount: number;
  readonly giveWay: () => void;
}

interface Holder {
  amount: number;
  /** Shares that may give way, oldest first. */
  readonly offered: Set<Holding>;
}

/**
 * Shares a limited resource among addresses. If it runs out, the oldest share of the address that holds the most gives
 * way. If an address holds more than it may, its own oldest share gives way. So an address can crowd out only itself,
 * and a newcomer gets in however much others hold.
 */
export function createShares(limits: { inAll: number; perAddress: number }): Shares {
  const holders = new Map<string, Holder>();
  let inAll = 0;

  function makeRoom(address: string, holder: Holder): void {
    while (holder.amount > limits.perAddress && holder.offered.size > 0) end(address, holder);
    while (inAll > limits.inAll) {
      const greediest = findGreediest();
      if (greediest === undefined) return;
      end(...greediest);
    }
  }

  function findGreediest(): [string, Holder] | undefined {
    let found: [string, Holder] | undefined;
    for (const entry of holders) {
      const [, { amount, offered }] = entry;
      if (offered.size > 0 && amount > (found?.[1].amount ?? -1)) found = entry;
    }
    return found;
  }

  /** Ends the oldest share of an address. */
  function end(address: string, holder: Holder): void {
    const [oldest] = holder.offered;
    if (oldest === undefined) return;
    drop(address, holder, oldest);
    oldest.giveWay();
  }

  function drop(address: string, holder: Holder, holding: Holding): void {
    holder.offered.delete(holding);
    change(holder, holding, 0);
    if (holder.amount === 0 && holder.offered.size === 0) holders.delete(address);
  }

  function change(holder: Holder, holding: Holding, amount: number): void {
    holder.amount += amount - holding.amount;
    inAll += amount - holding.amount;
    holding.amount = amount;
  }

  return {
    take(address, amount, giveWay) {
      let isOver = false;
      const holding: Holding = {
        amount: 0,
        giveWay() {
          isOver = true;
          giveWay();
        },
      };
      const holderOf = (): Holder => {
        const holder = holders.get(address) ?? { amount: 0, offered: new Set() };
        holders.set(address, holder);
        return holder;
      };
      const share: Share = {
        resize(now) {
          if (isOver) return;
          const holder = holderOf();
          change(holder, holding, now);
          makeRoom(address, holder);
        },
        keep: () => void (isOver || holderOf().offered.delete(holding)),
        offer: () => void (isOver || holderOf().offered.add(holding)),
        release() {
          if (isOver) return;
          isOver = true;
          drop(address, holderOf(), holding);
        },
      };
      share.offer();
      share.resize(amount);
      return share;
    },
  };
}
