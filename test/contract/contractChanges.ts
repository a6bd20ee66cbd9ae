/** A change of openapi.yaml, and what clients of the contract before it must be told: each place and its rule. */
export interface ContractChange {
  change: string;
  /** What both contracts have, where the real one has nothing of the kind. */
  prepare?: (contract: any) => void;
  edit: (contract: any) => void;
  findings: string[];
}

const schemaOf = (contract: any, name: string) => contract.components.schemas[name];
const propertyOf = (contract: any, name: string, property: string) =>
  schemaOf(contract, name).properties[property];
const bodyOf = (response: any) => response.content['application/json'];
const verify = (contract: any) => contract.paths['/verify'].post;
const list = (contract: any) => contract.paths['/discovery/resources'].get;
const search = (contract: any) => contract.paths['/discovery/search'].get;

function move(parent: any, from: string, to: string): void {
  parent[to] = parent[from];
  delete parent[from];
}

function without(values: string[], value: string): void {
  const index = values.indexOf(value);
  if (index < 0) throw new Error(`there is no ${value}`);
  values.splice(index, 1);
}

const operations: ContractChange[] = [
  {
    change: 'an operation is removed',
    edit: (c) => delete c.paths['/health'],
    findings: ['getHealth (operation-removed)'],
  },
  {
    change: 'an operation moves to another path',
    edit: (c) => move(c.paths, '/health', '/healthz'),
    findings: ['getHealth (operation-moved)'],
  },
  {
    change: 'an operation takes another method',
    edit: (c) => move(c.paths['/health'], 'get', 'post'),
    findings: ['getHealth (operation-moved)'],
  },
  {
    change: 'an operation is renamed',
    edit: (c) => (verify(c).operationId = 'verify'),
    findings: ['verifyPayment (operation-renamed)'],
  },
  {
    change: 'an operation comes under another tag',
    edit: (c) => (verify(c).tags = ['Service']),
    findings: ['verifyPayment (operation-tags-changed)'],
  },
  {
    change: 'an operation wants credentials',
    edit: (c) => {
      c.components.securitySchemes = { key: { type: 'http', scheme: 'bearer' } };
      verify(c).security = [{ key: [] }];
    },
    findings: ['securitySchemes (key-unjudged)', 'verifyPayment (operation-security-changed)'],
  },
  {
    change: 'a server is removed from one operation',
    edit: (c) => (verify(c).servers = [{ url: 'https://verify.example.com' }]),
    findings: ['verifyPayment http://127.0.0.1:4021 (server-removed)'],
  },
  {
    change: 'a callback is added',
    edit: (c) => (verify(c).callbacks = { settled: {} }),
    findings: ['verifyPayment (callbacks-unjudged)'],
  },
  {
    change: 'the document is of another version of OpenAPI',
    edit: (c) => (c.openapi = '3.2.0'),
    findings: ['contract (openapi-unjudged)'],
  },
];

const parameters: ContractChange[] = [
  {
    change: 'a parameter is removed',
    edit: (c) => list(c).parameters.pop(),
    findings: ['listResources query offset (parameter-removed)'],
  },
  {
    change: 'a parameter comes before one that was there',
    edit: (c) => list(c).parameters.unshift({ name: 'order', in: 'query', schema: { type: 'string' } }),
    findings: ['listResources (parameter-order)'],
  },
  {
    change: 'parameters change places',
    edit: (c) => list(c).parameters.reverse(),
    findings: ['listResources (parameter-order)'],
  },
  {
    change: 'a component of a parameter has another name',
    edit: (c) => {
      const { Limit, ...others } = c.components.parameters;
      c.components.parameters = { ...others, PageSize: Limit };
      const text = JSON.stringify(c.paths).replaceAll('parameters/Limit', 'parameters/PageSize');
      c.paths = JSON.parse(text);
    },
    findings: ['parameters Limit (component-removed)'],
  },
  {
    change: 'a required parameter is added',
    edit: (c) => list(c).parameters.push({ name: 'order', in: 'query', required: true, schema: {} }),
    findings: ['listResources query order (parameter-required)'],
  },
  {
    change: 'a parameter is required',
    edit: (c) => (c.components.parameters.Limit.required = true),
    findings: [
      'listResources query limit (parameter-required)',
      'searchResources query limit (parameter-required)',
    ],
  },
  {
    change: 'a parameter moves to the header',
    edit: (c) => (search(c).parameters.at(-1).in = 'header'),
    findings: ['searchResources query cursor (parameter-removed)'],
  },
  {
    change: 'a parameter is written in another style',
    edit: (c) => (search(c).parameters.at(-1).style = 'pipeDelimited'),
    findings: ['searchResources query cursor (style-unjudged)'],
  },
  {
    change: "a parameter's type is narrowed",
    edit: (c) => (list(c).parameters.at(-1).schema = { type: 'boolean', default: 0 }),
    findings: ['listResources query offset (request-type-narrowed)'],
  },
  {
    change: 'a parameter takes certain values only',
    edit: (c) => (c.components.parameters.TypeFilter.schema.enum = ['http', 'mcp']),
    findings: [
      'listResources query type (request-enum-narrowed)',
      'searchResources query type (request-enum-narrowed)',
    ],
  },
  {
    change: "a parameter's smallest value is raised",
    edit: (c) => (list(c).parameters.at(-1).schema.minimum = 1),
    findings: ['listResources query offset (request-minimum-narrowed)'],
  },
  {
    change: "a parameter's default changes",
    edit: (c) => (list(c).parameters.at(-1).schema.default = 10),
    findings: ['listResources query offset (request-default-changed)'],
  },
  {
    change: "a parameter's pattern changes",
    edit: (c) => (search(c).parameters[0].schema.pattern = '^[a-z]+$'),
    findings: ['searchResources query query (request-pattern-unjudged)'],
  },
  {
    change: 'a parameter gets a pattern',
    edit: (c) => (search(c).parameters.at(-1).schema.pattern = '^[a-z]+$'),
    findings: ['searchResources query cursor (request-pattern-narrowed)'],
  },
];

const requests: ContractChange[] = [
  {
    change: 'a request body is removed',
    edit: (c) => delete verify(c).requestBody,
    findings: ['requestBodies/Payment (request-body-removed)'],
  },
  {
    change: 'a request body is required where there was none',
    edit: (c) => (list(c).requestBody = { required: true, content: {} }),
    findings: ['listResources body (request-body-required)'],
  },
  {
    change: 'a media type of a request is replaced',
    edit: (c) => move(c.components.requestBodies.Payment.content, 'application/json', 'application/cbor'),
    findings: ['requestBodies/Payment application/json (request-media-type-removed)'],
  },
  {
    change: 'a property of a request is required',
    edit: (c) => schemaOf(c, 'PaymentRequirements').required.push('extra'),
    // The schema is in responses as well, which keep their promise: they have more.
    findings: ['PaymentRequirements.extra (request-property-required)'],
  },
  {
    change: 'a property of a request is removed',
    edit: (c) => delete schemaOf(c, 'FacilitatorRequest').properties.x402Version,
    findings: ['FacilitatorRequest.x402Version (request-property-removed)'],
  },
  {
    change: 'a property of a request gets a type',
    prepare: (c) => (schemaOf(c, 'FacilitatorRequest').properties.note = {}),
    edit: (c) => (propertyOf(c, 'FacilitatorRequest', 'note').type = 'string'),
    findings: ['FacilitatorRequest.note (request-type-narrowed)'],
  },
  {
    change: 'a request may no longer say null',
    prepare: (c) => (schemaOf(c, 'FacilitatorRequest').properties.note = { type: ['string', 'null'] }),
    edit: (c) => (propertyOf(c, 'FacilitatorRequest', 'note').type = 'string'),
    findings: ['FacilitatorRequest.note (request-type-narrowed)'],
  },
  {
    change: 'a constant of a request changes',
    prepare: (c) => (propertyOf(c, 'FacilitatorRequest', 'x402Version').const = 2),
    edit: (c) => (propertyOf(c, 'FacilitatorRequest', 'x402Version').const = 3),
    findings: ['FacilitatorRequest.x402Version 2 (request-value-removed)'],
  },
  {
    change: 'a text in a request has a greatest length',
    edit: (c) => (propertyOf(c, 'PaymentRequirements', 'amount').maxLength = 40),
    findings: ['PaymentRequirements.amount (request-maxLength-narrowed)'],
  },
  {
    change: 'a request may have no further fields',
    edit: (c) => (schemaOf(c, 'FacilitatorRequest').additionalProperties = false),
    findings: ['FacilitatorRequest{} (request-schema-narrowed)'],
  },
  {
    change: 'the further fields of a request get a type',
    edit: (c) => (schemaOf(c, 'FacilitatorRequest').additionalProperties = { type: 'string' }),
    findings: ['FacilitatorRequest{} (request-type-narrowed)'],
  },
  {
    change: 'a request must be one of two',
    edit: (c) => (schemaOf(c, 'ResourceInfo').anyOf = [{ required: ['url'] }, { required: ['tags'] }]),
    findings: ['ResourceInfo (request-anyOf-narrowed)'],
  },
  {
    change: 'a request must satisfy one more schema',
    edit: (c) => (schemaOf(c, 'ResourceInfo').allOf = [{ required: ['url'] }]),
    findings: ['ResourceInfo (request-allOf-unjudged)'],
  },
  {
    change: 'a format is wanted in a request',
    edit: (c) => (propertyOf(c, 'ResourceInfo', 'url').format = 'uri'),
    findings: ['ResourceInfo.url (request-format-unjudged)'],
  },
  {
    change: 'a request must not be something',
    edit: (c) => (schemaOf(c, 'ResourceInfo').not = { required: ['iconUrl'] }),
    findings: ['ResourceInfo (request-not-unjudged)'],
  },
];

const responses: ContractChange[] = [
  {
    change: 'a status is removed',
    edit: (c) => delete verify(c).responses['413'],
    findings: ['verifyPayment 413 (response-status-removed)'],
  },
  {
    change: 'a status of success is added',
    edit: (c) => (verify(c).responses['202'] = { description: 'Later.' }),
    findings: ['verifyPayment 202 (response-status-added)'],
  },
  {
    change: 'a header is removed',
    edit: (c) => delete c.paths['/settle'].post.responses['200'].headers['EXTENSION-RESPONSES'],
    findings: ['settlePayment 200 EXTENSION-RESPONSES (response-header-removed)'],
  },
  {
    change: 'a header is not always there',
    edit: (c) => (c.components.headers.RequestId.required = false),
    findings: ['headers/RequestId (response-header-optional)'],
  },
  {
    change: 'a header may hold any text',
    edit: (c) => delete c.components.headers.RequestId.schema.pattern,
    findings: ['headers/RequestId (response-pattern-widened)'],
  },
  {
    change: 'a schema inside a header may lack a property',
    edit: (c) => (schemaOf(c, 'BazaarOutcome').required = []),
    findings: ['BazaarOutcome.status (response-property-optional)'],
  },
  {
    change: 'a media type of a response is replaced',
    edit: (c) => move(verify(c).responses['413'].content, 'application/json', 'application/problem+json'),
    findings: [
      'verifyPayment 413 application/json (response-media-type-removed)',
      'verifyPayment 413 application/problem+json (response-media-type-added)',
    ],
  },
  {
    change: 'a response has another schema',
    prepare: (c) => (c.components.schemas.Twin = structuredClone(schemaOf(c, 'HealthResponse'))),
    edit: (c) => (bodyOf(c.paths['/health'].get.responses['200']).schema.$ref = '#/components/schemas/Twin'),
    findings: ['getHealth 200 body (response-schema-renamed)'],
  },
  {
    change: 'a property of a response is removed',
    edit: (c) => delete schemaOf(c, 'HealthResponse').properties.port,
    findings: ['HealthResponse.port (response-property-removed)'],
  },
  {
    change: 'a property of a response is not always there',
    edit: (c) => without(schemaOf(c, 'SettleResponse').required, 'transaction'),
    findings: ['SettleResponse.transaction (response-property-optional)'],
  },
  {
    change: 'a property is added where there were to be no further ones',
    edit: (c) => (schemaOf(c, 'SettleResponse').properties.ledger = { type: 'integer' }),
    findings: ['SettleResponse.ledger (response-property-added)'],
  },
  {
    change: 'a response may say null',
    edit: (c) => (propertyOf(c, 'SearchPagination', 'limit').type = ['integer', 'null']),
    findings: ['SearchPagination.limit (response-type-widened)'],
  },
  {
    change: 'a whole number of a response may have decimals',
    edit: (c) => (propertyOf(c, 'ListPagination', 'total').type = 'number'),
    findings: ['ListPagination.total (response-type-widened)'],
  },
  {
    change: 'a code is added',
    edit: (c) => schemaOf(c, 'CatalogCode').enum.push('bazaar_new'),
    findings: ['CatalogCode "bazaar_new" (response-value-added)'],
  },
  {
    change: 'a code is removed',
    edit: (c) => without(schemaOf(c, 'CatalogCode').enum, 'bazaar_schema_too_complex'),
    findings: ['CatalogCode "bazaar_schema_too_complex" (response-value-removed)'],
  },
  {
    change: 'a list of values becomes open',
    edit: (c) => delete schemaOf(c, 'CatalogCode').enum,
    findings: ['CatalogCode (response-enum-widened)'],
  },
  {
    change: 'a constant of a response goes',
    prepare: (c) => (propertyOf(c, 'HealthResponse', 'feeMode').const = 'free'),
    edit: (c) => delete propertyOf(c, 'HealthResponse', 'feeMode').const,
    findings: ['HealthResponse.feeMode (response-enum-widened)'],
  },
  {
    change: 'a response may have further fields',
    edit: (c) => (schemaOf(c, 'SupportedResponse').additionalProperties = true),
    findings: ['SupportedResponse{} (response-schema-widened)'],
  },
  {
    change: 'a response may have further fields that were not evaluated anywhere',
    prepare: (c) => {
      delete schemaOf(c, 'SupportedResponse').additionalProperties;
      schemaOf(c, 'SupportedResponse').unevaluatedProperties = false;
    },
    edit: (c) => (schemaOf(c, 'SupportedResponse').additionalProperties = true),
    findings: ['SupportedResponse{} (response-schema-widened)'],
  },
  {
    change: 'a bound of a response is loosened',
    edit: (c) => {
      propertyOf(c, 'ListPagination', 'limit').maximum = 1000;
      delete propertyOf(c, 'DiscoveryResource', 'tags').maxItems;
      propertyOf(c, 'SettleResponse', 'network').minLength = 0;
    },
    findings: [
      'DiscoveryResource.tags (response-maxItems-widened)',
      'ListPagination.limit (response-maximum-widened)',
      'SettleResponse.network (response-minLength-widened)',
    ],
  },
  {
    change: 'the items of a list are something else',
    edit: (c) => (propertyOf(c, 'HealthResponse', 'submitters').items = { type: 'object' }),
    findings: ['HealthResponse.submitters[] (response-type-widened)'],
  },
  {
    change: 'a response may be one more thing',
    prepare: (c) => (schemaOf(c, 'HealthResponse').properties.port = { anyOf: [{ type: 'integer' }] }),
    edit: (c) => propertyOf(c, 'HealthResponse', 'port').anyOf.push({ type: 'string' }),
    findings: ['HealthResponse.port (response-anyOf-widened)'],
  },
  {
    change: 'a response may be one of other things',
    prepare: (c) => (schemaOf(c, 'HealthResponse').properties.port = { oneOf: [{ type: 'integer' }] }),
    edit: (c) => propertyOf(c, 'HealthResponse', 'port').oneOf.push({ type: 'string' }),
    findings: ['HealthResponse.port (response-oneOf-unjudged)'],
  },
  {
    change: 'a format of a response goes',
    edit: (c) => delete propertyOf(c, 'DiscoveryResource', 'lastUpdated').format,
    findings: ['DiscoveryResource.lastUpdated (response-format-unjudged)'],
  },
  {
    change: 'a condition changes',
    edit: (c) => without(schemaOf(c, 'VerifyResponse').then.required, 'invalidMessage'),
    findings: ['VerifyResponse (response-then-unjudged)'],
  },
];

const names: ContractChange[] = [
  {
    change: 'a schema is renamed',
    edit: (c) => {
      move(c.components.schemas, 'SupportedKind', 'Kind');
      propertyOf(c, 'SupportedResponse', 'kinds').items.$ref = '#/components/schemas/Kind';
    },
    findings: ['SupportedKind (schema-removed)', 'SupportedResponse.kinds[] (response-schema-renamed)'],
  },
  {
    change: 'a schema is written where it was referred to',
    edit: (c) => {
      propertyOf(c, 'SupportedResponse', 'kinds').items = schemaOf(c, 'SupportedKind');
      delete c.components.schemas.SupportedKind;
    },
    findings: ['SupportedKind (schema-removed)', 'SupportedResponse.kinds[] (response-schema-renamed)'],
  },
];

/** Changes that break clients. */
export const breakingChanges: ContractChange[] = [
  ...operations,
  ...parameters,
  ...requests,
  ...responses,
  ...names,
];

/** Changes that break no client. */
export const compatibleChanges: ContractChange[] = [
  {
    change: 'an operation is added',
    edit: (c) => (c.paths['/metrics'] = { get: { operationId: 'getMetrics', responses: {} } }),
    findings: [],
  },
  {
    change: 'an optional parameter is added',
    edit: (c) => list(c).parameters.push({ name: 'order', in: 'query', schema: { type: 'string' } }),
    findings: [],
  },
  {
    change: 'a parameter takes more',
    edit: (c) => {
      search(c).parameters[0].required = false;
      delete search(c).parameters[0].schema.pattern;
      search(c).parameters[0].schema.minLength = 0;
      list(c).parameters.at(-1).schema.type = ['integer', 'string'];
    },
    findings: [],
  },
  {
    change: 'explanations and examples change',
    edit: (c) => {
      c.info.description = 'Short.';
      verify(c).summary = 'Judge';
      verify(c).responses['200'].description = 'Judged.';
      delete bodyOf(verify(c).responses['200']).examples;
      schemaOf(c, 'SettleResponse').description = 'The end.';
      propertyOf(c, 'SupportedKind', 'scheme').examples = ['upto'];
    },
    findings: [],
  },
  {
    change: 'links are added',
    edit: (c) => (verify(c).responses['200'].links = { settle: { operationId: 'settlePayment' } }),
    findings: [],
  },
  {
    change: 'an optional property is added to an open request and to an open response',
    edit: (c) => {
      schemaOf(c, 'FacilitatorRequest').properties.hint = { type: 'string' };
      schemaOf(c, 'DiscoveryResource').properties.rating = { type: 'number' };
      schemaOf(c, 'PaymentRequirements').properties.note = { type: 'string' };
    },
    findings: [],
  },
  {
    change: 'a request may lack what it had to have',
    edit: (c) => without(schemaOf(c, 'FacilitatorRequest').required, 'paymentRequirements'),
    findings: [],
  },
  {
    change: 'a response promises more',
    edit: (c) => {
      schemaOf(c, 'HealthResponse').required.push('port');
      propertyOf(c, 'ListPagination', 'total').maximum = 1_000_000;
      propertyOf(c, 'SettleResponse', 'payer').pattern = '^[GC]';
      propertyOf(c, 'SearchPagination', 'cursor').maxLength = 200;
    },
    findings: [],
  },
  {
    change: 'a header and an error that clients know by its class are added',
    edit: (c) => {
      verify(c).responses['200'].headers['x-ledger'] = { schema: { type: 'integer' } };
      verify(c).responses['429'] = { description: 'Slow down.' };
    },
    findings: [],
  },
  {
    change: 'a server, a tag, a schema and a way to send the body are added',
    edit: (c) => {
      c.servers.push({ url: 'https://pay.example.com' });
      c.tags.push({ name: 'Metrics' });
      c.components.schemas.Metric = { type: 'number' };
      c.components.requestBodies.Payment.content['application/cbor'] = {};
    },
    findings: [],
  },
  {
    change: 'the order of what has no order changes',
    prepare: (c) => {
      const anyOf = ['SupportedKind', 'ListPagination'].map((name) => ({
        $ref: `#/components/schemas/${name}`,
      }));
      schemaOf(c, 'DiscoveryResource').properties.extensions = { anyOf };
    },
    edit: (c) => {
      propertyOf(c, 'DiscoveryResource', 'extensions').anyOf.reverse();
      schemaOf(c, 'CatalogCode').enum.reverse();
      schemaOf(c, 'SettleResponse').required.reverse();
    },
    findings: [],
  },
  {
    change: 'a component other than a schema is written where it was referred to',
    edit: (c) => (list(c).responses['404'] = c.components.responses.UnknownRoute),
    findings: [],
  },
];
