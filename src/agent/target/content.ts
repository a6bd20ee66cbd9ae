/** Prepares a target's result for an agent: bounded, structured if it is JSON, described if it is binary. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { Body } from '../../net/body.ts';
import { isObject, parseJson, type Json } from '../json.ts';
import { RESULT_LIMITS, TARGET_LIMITS } from '../limits.ts';

export interface Content {
  /** JSON, text, a description of binary content, or null if there is no content. */
  readonly result: Json;
  readonly contentType: string | null;
  /** True when something is missing at the end. */
  readonly isTruncated: boolean;
  /** Binary content, as blocks of an MCP result. */
  readonly blocks: readonly ContentBlock[];
}

/** Returns the content of an http answer. */
export function contentOf({ bytes, isComplete }: Body, contentType: string | null, url: URL): Content {
  const mediaType = mediaTypeOf(contentType);
  const content = { contentType, isTruncated: !isComplete, blocks: [] };
  if (bytes.length === 0) return { ...content, result: null };
  if (!isText(mediaType, bytes)) return binaryContent(bytes, { ...content, mediaType, uri: url.href });
  const text = bytes.toString('utf8');
  const value = isComplete ? parseJson(text, TARGET_LIMITS.maxJsonDepth) : undefined;
  const isJson = /[/+]json$/.test(mediaType) || mediaType === '';
  if (isJson && value !== undefined && text.length <= RESULT_LIMITS.maxTextChars && keepsNumbers(value))
    return { ...content, result: value };
  return { ...content, ...cut(text, !isComplete) };
}

/** True when every integer is safe and every other number finite. If not, the result is the text, which keeps them. */
function keepsNumbers(value: Json): boolean {
  if (typeof value === 'number')
    return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(keepsNumbers);
}

interface BinaryContent extends Omit<Content, 'result'> {
  mediaType: string;
  uri: string;
}

function binaryContent(bytes: Buffer, { mediaType, uri, ...content }: BinaryContent): Content {
  const mimeType = mediaType || 'application/octet-stream';
  const isHandedOver = !content.isTruncated && bytes.length <= RESULT_LIMITS.maxBinaryBytes;
  return {
    ...content,
    result: describeBinary(bytes, mimeType, isHandedOver),
    blocks: isHandedOver ? [binaryBlock(bytes.toString('base64'), mimeType, uri)] : [],
  };
}

function describeBinary(bytes: Buffer, mimeType: string, isHandedOver: boolean): Json {
  return {
    binary: true,
    mimeType,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    handedOver: isHandedOver,
  };
}

function binaryBlock(data: string, mimeType: string, uri: string): ContentBlock {
  if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType)) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri, blob: data, mimeType } };
}

/** Cuts a text to its limit. */
function cut(text: string, wasCut: boolean): { result: string; isTruncated: boolean } {
  const isTooLong = text.length > RESULT_LIMITS.maxTextChars;
  const result = isTooLong ? text.slice(0, RESULT_LIMITS.maxTextChars) : text;
  return { result: result.toWellFormed(), isTruncated: wasCut || isTooLong };
}

function mediaTypeOf(contentType: string | null): string {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase();
}

const TEXT_TYPES =
  /^(text\/.*|.*[/+](json|xml|yaml|x-yaml|javascript|x-www-form-urlencoded|graphql|csv|x-ndjson))$/;

/** Decides by the media type or, if that says nothing, by the bytes. */
function isText(mediaType: string, bytes: Buffer): boolean {
  if (mediaType !== '' && mediaType !== 'application/octet-stream') return TEXT_TYPES.test(mediaType);
  return !bytes.includes(0) && isUtf8(bytes);
}

/**
 * Returns the content of a tool call's result: its blocks and its structured content. Takes binary blocks out of the
 * JSON, describes them there, and hands them over as blocks.
 */
export function contentOfToolResult(result: { content?: unknown; structuredContent?: unknown }): Content {
  const blocks: ContentBlock[] = [];
  let binaryBytes = 0;
  const listed = (Array.isArray(result.content) ? (result.content as Json[]) : []).map((block): Json => {
    const binary = binaryOf(block);
    if (binary === undefined) return block;
    const bytes = Buffer.from(binary.data, 'base64');
    binaryBytes += bytes.length;
    const isHandedOver = binaryBytes <= RESULT_LIMITS.maxBinaryBytes;
    if (isHandedOver) blocks.push(binaryBlock(bytes.toString('base64'), binary.mimeType, binary.uri));
    return { type: binary.type, ...(describeBinary(bytes, binary.mimeType, isHandedOver) as object) };
  });
  const value: Json = {
    content: listed,
    ...(isObject(result.structuredContent) && { structuredContent: result.structuredContent }),
  };
  const text = JSON.stringify(value);
  if (text.length <= RESULT_LIMITS.maxTextChars)
    return { result: value, contentType: null, isTruncated: false, blocks };
  return { ...cut(text, false), contentType: null, blocks };
}

interface Binary {
  type: string;
  data: string;
  mimeType: string;
  uri: string;
}

function binaryOf(block: Json): Binary | undefined {
  if (!isObject(block)) return undefined;
  const { type, data, resource } = block;
  if (type === 'image' || type === 'audio') return binaryFrom(type, data, block['mimeType'], '');
  if (type === 'resource' && isObject(resource))
    return binaryFrom(type, resource['blob'], resource['mimeType'], resource['uri']);
  return undefined;
}

function binaryFrom(type: string, data: unknown, mimeType: unknown, uri: unknown): Binary | undefined {
  if (typeof data !== 'string') return undefined;
  const href = typeof uri === 'string' ? URL.parse(uri)?.href : undefined;
  const isNamed = typeof mimeType === 'string' && /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(mimeType);
  return {
    type,
    data,
    mimeType: isNamed ? mimeType : 'application/octet-stream',
    uri: href !== undefined && href.length <= TARGET_LIMITS.maxUrlChars ? href : 'urn:result',
  };
}
