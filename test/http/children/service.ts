// A service in a process of its own, with a stand-in scheme whose settlements never end: prints its port, and for each
// line on its input the most memory that it had so far, in KiB.
import { createLog } from '../../../src/log/log.ts';
import { openService } from '../../../src/service.ts';
import { catalogDouble } from '../../support/catalogDouble.ts';
import { config, standInScheme } from '../standIns.ts';

const scheme = standInScheme({ settle: () => new Promise(() => {}) });
const { port } = await openService({
  config,
  secrets: { submitterSecrets: [], feeBumpSecret: undefined },
  log: createLog([], { write: () => {} }),
  parts: { scheme, catalog: catalogDouble() },
});
process.stdout.write(`port ${port}\n`);
process.stdin.on('data', () => process.stdout.write(`peak ${process.resourceUsage().maxRSS}\n`));
