export const asksForHelp = (args: readonly string[]): boolean =>
  args.includes('--help') || args.includes('-h');

export const HELP = `Serves a local Stellar network until you stop it, and prints its accounts and the commands to try.

Usage:
  npx stellar-facilitator sandbox [--state <file>]

  --state <file>     goes on with the network that this file holds, and keeps it there; otherwise each start is a new one

Environment:
  SANDBOX_HOST       the address that it listens at; 127.0.0.1 by default, 0.0.0.0 for all
  SANDBOX_PORT       the port of http; that of https is the next one; 8000 by default, 0 takes any free ones
  SANDBOX_LEDGER_MS  a ledger closes every so many milliseconds; 5000 by default, with 0 only when asked for
  SANDBOX_PROTOCOL   the protocol to begin with: 30 by default, or 29
  SANDBOX_NETWORK    whose passphrase and assets it has: testnet by default, or pubnet

Exit codes: 0 stopped, 1 failed, 64 wrong usage, 78 wrong configuration.`;
