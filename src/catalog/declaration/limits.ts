/** Bytes of `extensions` as compact JSON in UTF-8 (specification 8). */
export const EXTENSIONS_LIMIT_BYTES = 64 * 1024;

/** Objects, arrays and scalars in a client schema, its root included (specification 8). */
export const SCHEMA_LIMIT_NODES = 2_000;

/** A schema runs without a guard when its text's length times that of `info` is at most this: some milliseconds. */
export const UNGUARDED_LIMIT_CHARS2 = 200_000;

/**
 * Wall-clock time that holding a declaration to its schema may take at first. It is doubled for each further attempt,
 * for when the machine was busy elsewhere.
 */
export const EVALUATION_LIMIT_MS = 25;
/** An attempt that ran out of time counts only when it had this much processor time. */
export const EVALUATION_CPU_LIMIT_MS = 10;
export const MAX_EVALUATION_ATTEMPTS = 5;

/** Characters of `resource.url`, of the canonical URL and of `iconUrl`, as sent and percent-encoded. */
export const URL_LIMIT_CHARACTERS = 2_048;
/** The last pass is the one that finds nothing left to decode (specification 8). */
export const MAX_TEMPLATE_DECODE_PASSES = 5;

/** Specification 8. */
export const SERVICE_NAME_LIMIT_CHARACTERS = 32;
export const MAX_TAGS = 5;
export const TAG_LIMIT_CHARACTERS = 32;
/** Entries of `tags` that are looked at. */
export const MAX_TAGS_READ = 1_000;
/** A longer description is cut there. */
export const DESCRIPTION_LIMIT_CHARACTERS = 4_096;
/** The description as JSON, with its quotes. One that takes more is cut to half as many characters. */
export const DESCRIPTION_LIMIT_BYTES = 3 * DESCRIPTION_LIMIT_CHARACTERS + 2;
export const MIME_TYPE_LIMIT_CHARACTERS = 255;

/** Searchable text from names and descriptions of parameters, and how deep schemas are read for it. */
export const PARAMETER_TEXT_LIMIT_CHARACTERS = 8_192;
export const PARAMETER_TEXT_DEPTH = 32;

/** A refusal travels in a header. */
export const MESSAGE_LIMIT_CHARACTERS = 300;
export const QUOTE_LIMIT_CHARACTERS = 40;
