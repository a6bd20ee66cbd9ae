import { Worker } from 'node:worker_threads';

/** The threads that the catalog of this process started, for tests that end them or make them deaf. */
export interface ControlledThreads {
  /** Ends all that run, as a crash would. */
  end(): Promise<void>;
  /** While true, no thread hears anything: from outside, all of them hang. */
  deaf: boolean;
  /** While true, no thread that starts is heard to be ready. */
  unready: boolean;
  /** Lets what was not heard be heard. */
  hear(): void;
  /** Runs right after something was heard of a thread. */
  onMessage(): void;
  /** How many were started. */
  started: number;
  /** How many of them have not ended. */
  readonly running: number;
}

const running = new Set<Worker>();
const heldUp: (() => void)[] = [];

export const threads: ControlledThreads = {
  deaf: false,
  unready: false,
  onMessage: () => {},
  started: 0,
  get running() {
    return running.size;
  },
  hear() {
    threads.unready = false;
    for (const say of heldUp.splice(0)) say();
  },
  async end() {
    await Promise.all([...running].map((worker) => worker.terminate()));
  },
};

/** What stands in for `Worker`, by `vi.mock('node:worker_threads')`. */
export class ControlledWorker extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    threads.started += 1;
    running.add(this);
    this.once('exit', () => running.delete(this));
  }

  override emit(event: string, ...args: unknown[]): boolean {
    if (event === 'message' && threads.unready) return heldUp.push(() => super.emit(event, ...args)) > 0;
    const isHeard = super.emit(event, ...args);
    if (event === 'message') threads.onMessage();
    return isHeard;
  }

  override postMessage(...args: Parameters<Worker['postMessage']>): void {
    if (!threads.deaf) super.postMessage(...args);
  }
}
