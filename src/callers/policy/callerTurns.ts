/** Lets callers take turns at something of which there is little, however much each of them wants. */
export interface CallerTurns {
  /** Runs `work` once its caller's turn has come. Throws if that takes too long, or if too much waits. */
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

export interface CallerTurnsLimits {
  readonly atOnce: number;
  /** If more wait, the newest of the caller that has the most gives way. */
  readonly waiting: number;
  readonly waitMs: number;
}

type Waiting = (isItsTurn: boolean) => void;

export function createCallerTurns(limits: CallerTurnsLimits): CallerTurns {
  /** Oldest first. The first caller has the next turn. */
  const byCaller = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;

  function wait(caller: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const tooLate = setTimeout(() => leave(caller, one), limits.waitMs);
    const one = (isItsTurn: boolean): void => {
      clearTimeout(tooLate);
      resolve(isItsTurn);
    };
    byCaller.set(caller, [...(byCaller.get(caller) ?? []), one]);
    waiting += 1;
    if (waiting > limits.waiting) makeRoom();
    return promise;
  }

  function leave(caller: string, one: Waiting): void {
    const left = byCaller.get(caller)!.filter((other) => other !== one);
    waiting -= 1;
    if (left.length > 0) byCaller.set(caller, left);
    else byCaller.delete(caller);
    one(false);
  }

  function makeRoom(): void {
    let [caller, most]: [string, Waiting[]] = ['', []];
    for (const [name, own] of byCaller) if (own.length > most.length) [caller, most] = [name, own];
    leave(caller, most.at(-1)!);
  }

  function handOn(): void {
    running -= 1;
    const [first] = byCaller;
    if (first === undefined) return;
    const [caller, [next, ...left]] = first;
    byCaller.delete(caller);
    if (left.length > 0) byCaller.set(caller, left);
    waiting -= 1;
    running += 1;
    next!(true);
  }

  return {
    async run(caller, work) {
      if (running < limits.atOnce) running += 1;
      else if (!(await wait(caller))) throw new Error('too many calls are waiting');
      try {
        return await work();
      } finally {
        handOn();
      }
    },
  };
}
