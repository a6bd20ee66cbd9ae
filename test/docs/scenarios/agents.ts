/** An agent's host that reaches the tool server over HTTP, by the agents' page. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../support/freePort.ts';
import { block } from '../blocks.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { fill } from '../substitutions.ts';

export const overHttp = scenario({
  rule: 'the tool server of the agents’ page answers over HTTP where hosts are told to find it',
  blocks: {
    start: block('README.md', 'Run it', 'sh'),
    serve: block('docs/agent.md', 'Over HTTP', 'sh'),
    host: block('docs/agent.md', 'Over HTTP', 'json'),
  },
  async play(text) {
    const port = String(await freePort());
    const reader = await openReader({ SVC_MCP_HTTP_PORT: port });
    await reader.serve(text.start);
    const tools = reader.start(fill(text.serve, { 'S…': reader.sandbox.account().secret() }));
    await tools.shows(/"msg":"started"/);
    const { mcpServers } = JSON.parse(fill(text.host, { ':4023': `:${port}` })) as {
      mcpServers: Record<string, { type: string; url: string }>;
    };
    const [server] = Object.values(mcpServers);
    expect(server!.type).toBe('http');
    const client = new Client({ name: 'test-host', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(server!.url)));
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(['search_resources', 'paid_call']);
    const found = await client.callTool({ name: 'search_resources', arguments: { query: 'weather' } });
    expect(found).toMatchObject({ structuredContent: { resources: [] } });
    await tools.stop();
  },
});
