// Runs after `npm ci`, in JavaScript since the Node that runs npm may be too old for TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';

const COMMANDS = 'node_modules/.bin';
const NODE_PACKAGE = /^node-(bin-)?(linux|darwin)-/;

/** Makes npm scripts find the Node that was installed with the packages. */
function linkNode() {
  const name = readdirSync('node_modules').find((one) => NODE_PACKAGE.test(one));
  if (name === undefined || existsSync(`${COMMANDS}/node`)) return;
  rmSync(`${COMMANDS}/node`, { force: true });
  symlinkSync(`../${name}/bin/node`, `${COMMANDS}/node`);
}

// Without development packages there is nothing to build with.
if (existsSync(`${COMMANDS}/rolldown`)) {
  linkNode();
  const { status } = spawnSync('npm run build', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
