import type { declareDiscoveryExtension } from '@x402/extensions/bazaar';

/** What every offer of these tests says of itself, beside how it is called. */
export const ABOUT = {
  description: 'Says what it says',
  mimeType: 'application/json',
  serviceName: 'Oracle of Faro',
  tags: ['weather', 'Translation'],
  iconUrl: 'https://faro.example.com/icon.png',
};
const SAID = { type: 'object', properties: { type: { type: 'string' }, example: { type: 'object' } } };

/** The schema that stock sellers make for `info`. */
function schemaOf(required: string[], properties: object, { output }: { output: boolean }): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: { type: 'object', properties, required, additionalProperties: false },
      ...(output && { output: { ...SAID, required: ['type'] } }),
    },
    required: ['input'],
  };
}

export interface Case {
  route: string;
  config: Parameters<typeof declareDiscoveryExtension>[0];
  bought: [path: string, init?: RequestInit];
  listed: { path: string; type: string; bazaar: object };
}

const town = { type: 'string', description: 'Name of the town' };
const text = { type: 'string', description: 'What to translate' };
const amount = { type: 'number', description: 'How much' };
const http = { type: 'string', const: 'http' };

/** The kinds of resource that the stock packages can declare, and how each is listed. */
export const cases: Record<string, Case> = {
  'GET with a query': {
    route: 'GET /weather',
    config: {
      input: { city: 'Lisbon' },
      inputSchema: { properties: { city: town }, required: ['city'] },
      output: { example: { celsius: 21 } },
    },
    bought: ['/weather?city=Porto&secret=42'],
    listed: {
      path: '/weather',
      type: 'http',
      bazaar: {
        info: {
          input: { type: 'http', method: 'GET', queryParams: { city: 'Lisbon' } },
          output: { type: 'json', example: { celsius: 21 } },
        },
        schema: schemaOf(
          ['type', 'method'],
          {
            type: http,
            method: { type: 'string', enum: ['GET'] },
            queryParams: { type: 'object', properties: { city: town }, required: ['city'] },
          },
          { output: true },
        ),
      },
    },
  },
  'POST with a JSON body': {
    route: 'POST /translate',
    config: {
      bodyType: 'json',
      input: { text: 'hello', target: 'pt' },
      inputSchema: { type: 'object', properties: { text, target: { type: 'string' } }, required: ['text'] },
      output: { example: { translated: 'olá' } },
    },
    bought: [
      '/translate',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'a secret' }),
      },
    ],
    listed: {
      path: '/translate',
      type: 'http',
      bazaar: {
        info: {
          input: {
            type: 'http',
            method: 'POST',
            bodyType: 'json',
            body: { text: 'hello', target: 'pt' },
          },
          output: { type: 'json', example: { translated: 'olá' } },
        },
        schema: schemaOf(
          ['type', 'method', 'bodyType', 'body'],
          {
            type: http,
            method: { type: 'string', enum: ['POST'] },
            bodyType: { type: 'string', enum: ['json', 'form-data', 'text'] },
            body: { type: 'object', properties: { text, target: { type: 'string' } }, required: ['text'] },
          },
          { output: true },
        ),
      },
    },
  },
  'a dynamic route': {
    route: 'GET /tides/:port',
    config: { pathParamsSchema: { properties: { port: town } } },
    bought: ['/tides/Faro?day=2'],
    listed: {
      path: '/tides/:port',
      type: 'http',
      bazaar: {
        info: { input: { type: 'http', method: 'GET', queryParams: {}, pathParams: { port: 'Faro' } } },
        schema: schemaOf(
          ['type', 'method'],
          {
            type: http,
            method: { type: 'string', enum: ['GET'] },
            queryParams: { type: 'object', properties: {} },
            pathParams: { type: 'object', properties: { port: town } },
          },
          { output: false },
        ),
        routeTemplate: '/tides/:port',
      },
    },
  },
  'an MCP tool': {
    route: 'POST /mcp',
    config: {
      toolName: 'convert_currency',
      description: 'Converts money',
      transport: 'streamable-http',
      inputSchema: { type: 'object', properties: { amount }, required: ['amount'] },
      example: { amount: 1 },
      output: { example: { converted: 0.9 } },
    },
    bought: ['/mcp', { method: 'POST' }],
    listed: {
      path: '/mcp',
      type: 'mcp',
      bazaar: {
        info: {
          input: {
            type: 'mcp',
            toolName: 'convert_currency',
            description: 'Converts money',
            transport: 'streamable-http',
            inputSchema: { type: 'object', properties: { amount }, required: ['amount'] },
            example: { amount: 1 },
          },
          output: { type: 'json', example: { converted: 0.9 } },
        },
        schema: schemaOf(
          ['type', 'toolName', 'inputSchema'],
          {
            type: { type: 'string', const: 'mcp' },
            toolName: { type: 'string' },
            description: { type: 'string' },
            transport: { type: 'string', enum: ['streamable-http'] },
            inputSchema: { type: 'object' },
            example: { type: 'object' },
          },
          { output: true },
        ),
      },
    },
  },
};
