import { Worker } from 'node:worker_threads';

/** What the threads of a catalog do that answer nothing but take their time: `questionMs` for each question. */
export const slow = {
  /** Of threads that are started from now on. */
  questionMs: 20,
  /** How many questions were carried out. */
  questions: 0,
};

const SCRIPT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const json = new TextEncoder().encode(JSON.stringify(
    { x402Version: 2, items: [], pagination: { limit: 20, offset: 0, total: 0 } }));
  const never = new Int32Array(new SharedArrayBuffer(4));
  parentPort.on('message', ({ id, operation }) => {
    if (operation === 'close') return parentPort.close();
    Atomics.wait(never, 0, 0, workerData);
    parentPort.postMessage({ id, value: { json } });
  });
  parentPort.postMessage({ ready: true });
`;

/** What stands in for `Worker`, by `vi.mock('node:worker_threads')`. */
export class SlowWorker extends Worker {
  constructor() {
    super(SCRIPT, { eval: true, workerData: slow.questionMs });
    this.on('message', (answer: object) => (slow.questions += 'value' in answer ? 1 : 0));
  }
}
