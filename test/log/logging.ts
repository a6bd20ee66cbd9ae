/** A process that logs as the service does, and then does what its argument says. */
import { createLog } from '../../src/log/log.ts';
import { openLogOutput } from '../../src/log/output.ts';
import { freeStandardStreams, sayOnStderr } from '../../src/process/standardStreams.ts';

freeStandardStreams();
const output = openLogOutput(1);
const log = createLog([], output);
log.info({}, 'started');

const TASKS: Record<string, () => unknown> = {
  fault: () =>
    setTimeout(() => {
      throw new Error('a bug');
    }),
  async refuse() {
    await sayOnStderr('this start fails');
    await output.flush();
    process.exit(78);
  },
  /** Logs so many lines for each message, and says when they are written or lost; ends when nobody tells it more. */
  obey() {
    process.on('message', (count: number) => {
      for (let nth = 0; nth < count; nth += 1) log.info({}, 'as told');
      void output.flush().then(() => process.send!('flushed'));
    });
    process.once('disconnect', () => {
      log.info({}, 'stopped');
      void output.flush().then(() => process.exit(0));
    });
  },
};
await TASKS[process.argv[2]!]!();
