/** A process that logs, and ends by a fault of its own. */
import { createLog } from '../../src/log.ts';
import { openLogOutput } from '../../src/logOutput.ts';
import { freeStandardStreams } from '../../src/standardStreams.ts';

freeStandardStreams();
const log = createLog([], openLogOutput(1));
log.info({}, 'last words');
setTimeout(() => {
  throw new Error('a bug');
});
