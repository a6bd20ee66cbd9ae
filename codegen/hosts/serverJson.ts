import { SELF } from '../../src/agent/version.ts';
import { DESCRIPTION, PACKAGE } from './package.ts';
import { hostSettings } from './settings.ts';

export const SERVER_JSON = new URL('../../server.json', import.meta.url);

/** Returns the text of server.json, which describes the tool server to the MCP registry. */
export function serverJson(): string {
  const { name, version, mcpName } = PACKAGE;
  const environmentVariables = hostSettings().map((setting) => ({
    name: setting.name,
    description: setting.description,
    isRequired: false,
    isSecret: setting.isSecret,
    ...(setting.default !== undefined && { default: setting.default }),
  }));
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: SELF.title,
    description: DESCRIPTION,
    version,
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        // npx starts the command that is named like the package.
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables,
      },
    ],
  };
  return `${JSON.stringify(server, null, 2)}\n`;
}
