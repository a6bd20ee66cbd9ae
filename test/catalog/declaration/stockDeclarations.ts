import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';

/** What a buyer echoes of a resource. */
export interface Echo {
  bazaar: any;
  resource: any;
}

type Config = Parameters<typeof declareDiscoveryExtension>[0];

/** A resource as a stock seller declares it at the moment of a request. */
function declare(config: Config, request: { method: string; url: string; routePattern?: string }): Echo {
  const { method, url, routePattern } = request;
  const context = { method, routePattern, adapter: { getPath: () => new URL(url).pathname } };
  const { bazaar } = declareDiscoveryExtension(config) as { bazaar: any };
  return {
    bazaar: bazaarResourceServerExtension.enrichDeclaration!(bazaar, context),
    resource: {
      url,
      description: 'What it is',
      mimeType: 'application/json',
      serviceName: 'Weather',
      tags: ['weather', 'forecast'],
      iconUrl: 'https://api.example.com/icon.png',
    },
  };
}

/** Fresh for every use, so that tests may spoil them. */
export const stockDeclarations = {
  'GET with query': () =>
    declare(
      {
        input: { city: 'Lisbon' },
        inputSchema: {
          properties: { city: { type: 'string', description: 'Name of the town' } },
          required: ['city'],
        },
        output: { example: { temperature: 21 } },
      },
      { method: 'GET', url: 'https://api.example.com/weather?city=Lisbon' },
    ),
  'GET without parameters': () => declare({}, { method: 'GET', url: 'https://api.example.com/time' }),
  'POST with JSON body': () =>
    declare(
      {
        bodyType: 'json',
        input: { text: 'hello', target: 'pt' },
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' }, target: { type: 'string', description: 'Language' } },
          required: ['text'],
        },
        output: { example: { translated: 'olá' } },
      },
      { method: 'POST', url: 'https://api.example.com/translate' },
    ),
  'PUT with form data': () =>
    declare(
      { bodyType: 'form-data', input: { a: '1' } },
      { method: 'PUT', url: 'https://api.example.com/form' },
    ),
  'PATCH with text, no example': () =>
    declare({ bodyType: 'text' }, { method: 'PATCH', url: 'https://api.example.com/text' }),
  'dynamic route': () =>
    declare(
      { pathParamsSchema: { properties: { city: { type: 'string', description: 'Name of the town' } } } },
      {
        method: 'GET',
        url: 'https://api.example.com/weather/Lisbon',
        routePattern: '/weather/[city]',
      },
    ),
  'dynamic route with a wildcard': () =>
    declare({}, { method: 'GET', url: 'https://api.example.com/a/b/c', routePattern: '/a/*/c' }),
  'MCP tool': () =>
    declare(
      {
        toolName: 'convert_currency',
        description: 'Converts money',
        transport: 'sse',
        inputSchema: {
          type: 'object',
          properties: { amount: { type: 'number', description: 'How much' }, to: { type: 'string' } },
          required: ['amount'],
        },
        example: { amount: 1, to: 'EUR' },
        output: { example: { converted: 0.9 } },
      },
      { method: 'POST', url: 'https://api.example.com/mcp' },
    ),
} satisfies Record<string, () => Echo>;

export const stockEcho = stockDeclarations['GET with query'];
