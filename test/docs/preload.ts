/** Preloaded into a reader's programs: the hosts of Stellar's public networks are the sandbox, and nothing leaves the machine. */
import '../demo/loopback-only.ts';
import { aliasStellarHosts } from '../../sandbox/aliases.ts';

const sandbox = process.env['SANDBOX_HTTPS_URL'];
if (sandbox !== undefined) aliasStellarHosts(sandbox);
