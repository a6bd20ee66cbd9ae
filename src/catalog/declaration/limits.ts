/** Maximum size of `extensions` as compact JSON, in UTF-8 bytes. */
export const EXTENSIONS_LIMIT_BYTES = 64 * 1024;

/** Maximum number of objects, arrays and scalars in a client's schema, including its root. */
export const SCHEMA_LIMIT_NODES = 2_000;

/** A schema runs without a guard if the length of its text times that of `info` is at most this: a few milliseconds. */
export const UNGUARDED_LIMIT_CHARS2 = 200_000;

/**
 * Wall-clock time for the first attempt to validate a declaration against its schema. Each further attempt gets twice
 * as long, in case the machine was busy elsewhere.
 */
export const EVALUATION_LIMIT_MS = 25;
/** An attempt that timed out counts only if it had at least this much processor time. */
export const EVALUATION_CPU_LIMIT_MS = 10;
export const MAX_EVALUATION_ATTEMPTS = 5;

/** Maximum length of `resource.url`, the canonical URL and `iconUrl`, both as sent and percent-encoded. */
export const URL_LIMIT_CHARACTERS = 2_048;
/** Maximum number of decoding passes. The last one must find nothing left to decode. */
export const MAX_TEMPLATE_DECODE_PASSES = 5;

export const SERVICE_NAME_LIMIT_CHARACTERS = 32;
export const MAX_TAGS = 5;
export const TAG_LIMIT_CHARACTERS = 32;
/** Number of entries of `tags` that are read; the rest are ignored. */
export const MAX_TAGS_READ = 1_000;
/** A longer description is cut to this length. */
export const DESCRIPTION_LIMIT_CHARACTERS = 4_096;
/** Maximum size of the description as JSON, with its quotes. A larger one is cut to half as many characters. */
export const DESCRIPTION_LIMIT_BYTES = 3 * DESCRIPTION_LIMIT_CHARACTERS + 2;
export const MIME_TYPE_LIMIT_CHARACTERS = 255;

/** Limits of the searchable text from parameter names and descriptions: its length, and how deep schemas are read. */
export const PARAMETER_TEXT_LIMIT_CHARACTERS = 8_192;
export const PARAMETER_TEXT_DEPTH = 32;

/** Messages are short because they travel in a header. */
export const MESSAGE_LIMIT_CHARACTERS = 300;
export const QUOTE_LIMIT_CHARACTERS = 40;
