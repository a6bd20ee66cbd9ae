/** Builds the replies that the sandbox sends over HTTP. */

/** One HTTP reply, or `lost`: the connection breaks instead of a reply. */
export type HttpReply = { status: number; contentType: string; text: string } | { lost: true };

export function json(body: unknown, status = 200): HttpReply {
  return { status, contentType: 'application/json', text: JSON.stringify(body) };
}

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  404: 'Resource Missing',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  500: 'Internal Server Error',
};

/** Returns an error in the form of Horizon and friendbot (RFC 7807). */
export function problem(status: number, detail: string): HttpReply {
  const title = TITLES[status] ?? 'Error';
  const type = `https://stellar.org/horizon-errors/${title.toLowerCase().replaceAll(' ', '_')}`;
  return {
    status,
    contentType: 'application/problem+json',
    text: JSON.stringify({ type, title, status, detail }),
  };
}
