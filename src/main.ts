import { basename } from 'node:path';
import { UnusableDatabase } from './catalog/index.ts';
import { configure } from './config.ts';
import type { Config, Secrets } from './config.ts';
import { journalPathOf } from './databasePath.ts';
import { readEnvironment } from './environment.ts';
import { EXIT_CONFIG, EXIT_FAILED } from './exitCodes.ts';
import { UnusableJournal } from './journal/index.ts';
import { createLog, hiddenTexts } from './log.ts';
import { openService } from './service.ts';
import type { Service } from './service.ts';
import { setupHelp } from './setupHelp.ts';

const configured = configure(readEnvironment(process.env));
if ('problems' in configured) {
  for (const { variable, text } of configured.problems) console.error(`${variable} ${text}`);
  if (!process.env['SUBMITTER_SECRET']?.trim()) console.error(setupHelp());
  process.exitCode = EXIT_CONFIG;
} else {
  await run(configured.config, configured.secrets);
}

async function run(config: Config, secrets: Secrets): Promise<void> {
  const log = createLog(hiddenTexts(config, secrets));
  let service: Service;
  try {
    service = await openService({ config, secrets, log });
  } catch (error) {
    if (error instanceof UnusableDatabase || error instanceof UnusableJournal) {
      const journal = basename(journalPathOf(config.dbPath));
      const what = error instanceof UnusableJournal ? `, the journal beside it (${journal}),` : '';
      console.error(`DB_PATH${what} ${error.message}`);
      process.exit(EXIT_CONFIG);
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      console.error(`PORT ${config.port} is in use: stop what listens there, or set another`);
    else if (code === 'EACCES')
      console.error(`PORT ${config.port} may not be used by this user: set another`);
    else log.error({ err: error }, 'start failed');
    process.exit(EXIT_FAILED);
  }
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    await service.close();
    log.info({}, 'stopped');
    process.exit(0);
  };
  // Once: a second signal ends the process at once, as it does by default.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
}
