import { SELF } from '../../src/agent/version.ts';
import { DESCRIPTION, PACKAGE } from './package.ts';
import { hostSettings } from './settings.ts';

/** Where the server lies in the bundle. */
export const ENTRY_POINT = 'dist/stellar-facilitator-mcp.js';

/** Returns the manifest of the bundle (MCPB 0.3). */
export function manifest(): object {
  const settings = hostSettings().map((setting) => ({ ...setting, key: setting.name.toLowerCase() }));
  const { name, version, license, engines } = PACKAGE;
  return {
    manifest_version: '0.3',
    name,
    display_name: SELF.title,
    version,
    description: DESCRIPTION,
    author: { name },
    license,
    server: {
      type: 'node',
      entry_point: ENTRY_POINT,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY_POINT}`],
        env: Object.fromEntries(settings.map((one) => [one.name, `\${user_config.${one.key}}`])),
      },
    },
    tools: [{ name: 'search_resources' }, { name: 'paid_call' }],
    compatibility: { runtimes: { node: engines.node } },
    user_config: Object.fromEntries(
      settings.map((one) => [
        one.key,
        {
          type: 'string',
          title: one.title,
          description: one.description,
          required: false,
          sensitive: one.isSecret,
          // Without a default, a host passes on the placeholder where a person wrote nothing.
          default: one.default ?? '',
        },
      ]),
    ),
  };
}
