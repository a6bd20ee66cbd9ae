/** Something that waits in a line. */
export interface Place {
  /** The caller that asks; callers take turns. */
  readonly caller: string;
  readonly sinceMs: number;
  /** The estimated cost of carrying it out. Cheaper ones go first. */
  readonly cost: number;
}

/** Keeps things that wait, and decides which is next. */
export interface Line<Waiting extends Place> {
  readonly size: number;
  add(waiting: Waiting): void;
  remove(waiting: Waiting): void;
  /** Removes and returns the one whose turn it is. */
  next(): Waiting | undefined;
  /** Returns the one to turn away if there are too many. */
  surplus(): Waiting | undefined;
}

/**
 * Lets callers take turns, so that one who asks for much holds up nobody else. If too many wait, the oldest request of
 * the caller with the most requests gives way.
 *
 * A caller's oldest request goes first until it has waited for `newestFirstAfterMs`. By then more is asked than can be
 * answered, and the caller's newest request goes first. In order of arrival, every request would wait as long as it
 * may, and impatient callers would leave before their answers. With the newest first, as many as possible are answered
 * at once. The oldest, whose callers have most likely left, stay unanswered.
 */
export function createRoundRobin<Waiting extends Place>(newestFirstAfterMs = Infinity): Line<Waiting> {
  /** The requests of each caller, oldest first. The first caller has the next turn. */
  const byCaller = new Map<string, Waiting[]>();
  let size = 0;

  function remove(waiting: Waiting): void {
    const own = byCaller.get(waiting.caller);
    const at = own?.indexOf(waiting) ?? -1;
    if (own === undefined || at === -1) return;
    own.splice(at, 1);
    size -= 1;
    if (own.length === 0) byCaller.delete(waiting.caller);
  }

  return {
    get size() {
      return size;
    },
    add(waiting) {
      const own = byCaller.get(waiting.caller);
      if (own === undefined) byCaller.set(waiting.caller, [waiting]);
      else own.push(waiting);
      size += 1;
    },
    remove,
    next() {
      const [turn] = byCaller;
      if (turn === undefined) return undefined;
      const [caller, own] = turn;
      const isOverloaded = performance.now() - own[0]!.sinceMs >= newestFirstAfterMs;
      const waiting = isOverloaded ? own.at(-1)! : own[0]!;
      remove(waiting);
      if (byCaller.delete(caller)) byCaller.set(caller, own);
      return waiting;
    },
    surplus() {
      let longest: readonly Waiting[] = [];
      for (const own of byCaller.values()) if (own.length > longest.length) longest = own;
      return longest[0];
    },
  };
}

/** Lets the cheapest go first, and the oldest among equals. If too many wait, the most expensive gives way. */
export function createCheapestFirst<Waiting extends Place>(): Line<Waiting> {
  const inOrder: Waiting[] = [];
  return {
    get size() {
      return inOrder.length;
    },
    add(waiting) {
      const at = inOrder.findLastIndex(({ cost }) => cost <= waiting.cost);
      inOrder.splice(at + 1, 0, waiting);
    },
    remove(waiting) {
      const at = inOrder.indexOf(waiting);
      if (at !== -1) inOrder.splice(at, 1);
    },
    next: () => inOrder.shift(),
    surplus: () => inOrder.at(-1),
  };
}
