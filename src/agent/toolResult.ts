import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { CallResult } from './callResult.ts';
import { Failure } from './codes.ts';
import type { JsonObject } from './json.ts';
import { wellFormed } from './words.ts';

/** Returns structured content, and the same as text for hosts that show only text. */
export function toolResult(result: CallResult | Failure): CallToolResult {
  if (result instanceof Failure) {
    const structured = { errorCode: result.code, reason: result.message };
    return toolResult({ structured, blocks: [], isError: true });
  }
  const { blocks, isError } = result;
  const structured = wellFormed(result.structured) as JsonObject;
  const text = { type: 'text', text: JSON.stringify(structured) } as const;
  return { content: [text, ...blocks], structuredContent: structured, ...(isError && { isError }) };
}
