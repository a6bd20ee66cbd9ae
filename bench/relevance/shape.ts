export const HALVES = ['tune', 'test'] as const;
export const KINDS = ['plain', 'paraphrase', 'misspelt', 'filler', 'foreign', 'compound', 'agent'] as const;

export type Half = (typeof HALVES)[number];
export type QuestionKind = (typeof KINDS)[number];

/** 3 is what the person wants, 2 does the job in part, 1 is better than nothing. */
export type Grade = 1 | 2 | 3;

export interface RelevanceListing {
  id: string;
  type: 'http' | 'mcp';
  url: string;
  /** MCP listings have it, and only they. */
  toolName?: string;
  /** Up to 32 printable ASCII characters. */
  serviceName?: string;
  /** Up to five, each as short as the name of a service. */
  tags?: readonly string[];
  description?: string;
  method: 'GET' | 'POST';
  /** Descriptions by name. An empty one is absent. */
  parameters: Readonly<Record<string, string>>;
  /** The seller's name, such as `seller-17`. */
  payTo: string;
  spam?: true;
}

export interface Question {
  id: string;
  half: Half;
  kind: QuestionKind;
  query: string;
  /** By listing. A listing without a grade does not help. */
  grades: Readonly<Record<string, Grade>>;
}

export interface RelevanceSet {
  listings: readonly RelevanceListing[];
  questions: readonly Question[];
}
