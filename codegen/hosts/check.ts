import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import manifestSchema from './schemas/mcpb-manifest.schema.json' with { type: 'json' };
import serverSchema from './schemas/server.schema.json' with { type: 'json' };
import { manifest } from './manifest.ts';
import { SERVER_JSON, serverJson } from './serverJson.ts';

/** Finds what the MCP registry and hosts of bundles would refuse, and a server.json that is not up to date. */
export async function findHostProblems(): Promise<string | undefined> {
  const found = await readFile(SERVER_JSON, 'utf8').catch(() => '{}');
  const problems = [
    ...(found === serverJson() ? [] : ['server.json is not what is generated; run npm run codegen']),
    ...problemsOfServer(JSON.parse(found)),
    ...problemsOfManifest(manifest()),
  ];
  return problems.length > 0 ? problems.join('\n') : undefined;
}

/** Checks a server.json by the schema of the registry. */
export const problemsOfServer = (server: unknown): string[] =>
  problemsOf('server.json', serverSchema, server);

/** Checks the manifest of a bundle by the schema of MCPB. */
export const problemsOfManifest = (found: unknown): string[] =>
  problemsOf('manifest.json', manifestSchema, found);

function problemsOf(name: string, schema: object, value: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
}
