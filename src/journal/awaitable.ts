/** A value that a file gives at once, and a database over a network later. */
export type Awaitable<Value> = Value | Promise<Value>;
