import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';
import { AMOUNT } from '../support/payments.ts';
import { FORECAST, openSeller } from './support/seller.ts';
import { newWallet, useAgentStage } from './support/stage.ts';

const stage = useAgentStage({ ledgerMs: 400 });
const INSPECTOR = resolve('node_modules/@modelcontextprotocol/inspector-cli/build/index.js');

const wallet = () => newWallet(stage);

describe("the MCP Inspector's command line", () => {
  // It looks for its own package.json from where it is started, and finds it only below a folder that has one.
  const cwd = 'src';
  const inspect = async (environment: Record<string, string>, ...args: string[]): Promise<any> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [INSPECTOR, process.execPath, 'agent/main.ts', ...args],
      { cwd, env: { ...childEnvironment, ...environment } },
    );
    return JSON.parse(stdout);
  };

  test('lists both tools with their schemas and annotations', async () => {
    const { tools } = await inspect(wallet().environment, '--method', 'tools/list');
    expect(tools).toMatchObject([
      {
        name: 'search_resources',
        title: expect.any(String),
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
        inputSchema: { type: 'object', required: ['query'] },
        outputSchema: { type: 'object' },
      },
      {
        name: 'paid_call',
        title: expect.any(String),
        description: expect.stringContaining('10000000 base units'),
        annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
        inputSchema: {
          type: 'object',
          properties: { resourceId: {}, url: {}, toolName: {}, input: { type: 'object' } },
        },
        outputSchema: { type: 'object' },
      },
    ]);
  });

  test('searches, and pays', async () => {
    const { key, environment } = wallet();
    const seller = await openSeller(stage);
    await stage.list(
      { url: seller.url, description: 'inspectedweather' },
      { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
    );
    const found = await inspect(
      environment,
      '--method',
      'tools/call',
      '--tool-name',
      'search_resources',
      '--tool-arg',
      'query=inspectedweather',
    );
    const [{ id }] = found.structuredContent.resources;
    const paid = await inspect(
      environment,
      ...['--method', 'tools/call', '--tool-name', 'paid_call'],
      ...['--tool-arg', `resourceId=${id}`, 'input={"city":"Porto"}'],
    );
    expect(paid.isError).toBeUndefined();
    expect(paid.structuredContent).toMatchObject({ paid: true, result: FORECAST });
    expect(seller.visits[1]!.path).toBe('/weather?city=Porto');
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - AMOUNT);
  });
});
