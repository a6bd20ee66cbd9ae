/** Declarations that are read otherwise than by the validators of @x402/extensions 2.27.0, and why. */
export interface Difference {
  reason: string;
  cases: readonly string[];
}

export const differences: readonly Difference[] = [
  {
    reason: 'An empty string says nothing: sellers send it for what they left unset.',
    cases: ['method ""', 'bodyType ""', 'transport ""'],
  },
  {
    reason: 'Examples are objects by name (protocol, bazaar extension); stock does not look at them.',
    cases: [
      'queryParams []',
      'queryParams "a=1"',
      'pathParams []',
      'pathParams "a"',
      'headers []',
      'output []',
      'output "text"',
      'inputSchema []',
    ],
  },
  {
    reason:
      'Form data is an object and a text is a string (protocol, bazaar extension); stock does not look at bodies.',
    cases: ['form-data "a=1"', 'form-data []', 'text 5'],
  },
  {
    reason: 'schema is an object (specification 4.6 rule 2).',
    cases: ['schema true'],
  },
  {
    reason: 'Regular expressions of clients are not run (specification 4.6 rule 4).',
    cases: ['a pattern that is not met', 'a pattern that is none', 'a pattern of the wrong type'],
  },
  {
    reason:
      'Too complex is a code of its own (specification 4.6 rule 4); stock runs out of stack, or has no limit.',
    cases: ['a reference to itself', '2,001 nodes'],
  },
  {
    reason: 'Data and names of parameters are no references; stock looks for the key anywhere.',
    cases: ['an external reference as an example', 'a parameter named $ref'],
  },
  {
    reason: 'A reference leads to a schema, which an enumerated value is not.',
    cases: ['$ref "#/enum/0"'],
  },
  {
    reason: 'Words of other dialects and annotations that say nothing here harm nobody; stock stops at them.',
    cases: ['id "#a"', 'nullable without a type', 'named examples'],
  },
  {
    reason: 'JSON Schema 2020-12 allows it, though it says little; Ajv does not.',
    cases: ['an empty enumeration that is not reached'],
  },
  {
    reason: 'Of two anchors with one name, which the evaluator takes the last of, neither need be in use.',
    cases: ['an anchor twice'],
  },
  {
    reason: 'What JavaScript objects inherit is not in the JSON; Ajv finds a constructor in every object.',
    cases: ['names of object members'],
  },
  {
    reason: 'Hardening of templates in every decoded layer (specification 4.6 rule 6).',
    cases: [
      'routeTemplate "//evil.example/x"',
      'routeTemplate "/%2f%2fevil"',
      'routeTemplate "/a%00b"',
      'routeTemplate "/a%5cb"',
    ],
  },
  {
    reason:
      'One resource has one canonical URL: it is written as the URL standard writes it, and has a bounded length.',
    cases: ['routeTemplate "/./a"', 'a template that is too long', 'a URL that is too long'],
  },
  {
    reason: 'A template is the path of an http resource; a tool is called at its URL as it is.',
    cases: ['a template of a tool'],
  },
  {
    reason:
      'resource.url is an absolute http or https URL without credentials (specification 4.6 rule 5), written so that every reader sees the same host.',
    cases: [
      'url "mcp://tool/x"',
      'url "ftp://a.example/x"',
      'url "https:a.example/x"',
      'url "https:\\\\\\\\a.example\\\\x"',
      'url "https://user:pw@a.example/"',
      'url "https://@a.example/"',
      'url " https://a.example/"',
      'url "https://a.example/\\n"',
    ],
  },
  {
    reason:
      'Names that lead into the own machine or network of whoever shows the picture (specification 2.6).',
    cases: [
      'iconUrl "http://LOCALHOST./"',
      'iconUrl "http://foo.localhost/"',
      'iconUrl "http://internal/"',
      'iconUrl "http://metadata.google.internal/"',
      'iconUrl "http://printer.local/"',
      'iconUrl "http://foo..com/"',
    ],
  },
  {
    reason: 'Spellings of a URL in which different readers see different hosts.',
    cases: [
      'iconUrl "https:example.com/x"',
      'iconUrl "https:\\\\\\\\example.com\\\\x"',
      'iconUrl " https://example.com/"',
      'iconUrl "https://@example.com/"',
      'iconUrl "https:///example.com/"',
      'iconUrl "https://example.com/\u0085"',
    ],
  },
];
