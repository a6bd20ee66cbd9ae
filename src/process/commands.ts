/** True in the installed package, where people type its own command. In the project's folder they use npm scripts. */
export const IS_PACKAGED = !import.meta.url.endsWith('.ts');

export const COMMANDS = IS_PACKAGED
  ? {
      start: 'npx stellar-facilitator',
      accounts: 'npx stellar-facilitator accounts',
      backup: 'npx stellar-facilitator backup',
      rehearse: 'npx stellar-facilitator rehearse',
    }
  : {
      start: 'npm start',
      accounts: 'npm run accounts --',
      backup: 'npm run backup --',
      rehearse: 'npm run rehearse --',
    };
