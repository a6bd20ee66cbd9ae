/** A process that logs, and ends by a fault of its own. */
import { createLog } from '../../src/log/log.ts';
import { openLogOutput } from '../../src/log/output.ts';
import { freeStandardStreams } from '../../src/process/standardStreams.ts';

freeStandardStreams();
const log = createLog([], openLogOutput(1));
log.info({}, 'last words');
setTimeout(() => {
  throw new Error('a bug');
});
