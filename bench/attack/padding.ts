const OBJECTS = '<objects>';

/** A payment request with so many bytes more that nobody needs: gzipped they cost a sender nothing. */
export function padded(body: string, kind: 'objects' | 'text', bytes: number): string {
  const request = JSON.parse(body) as { paymentPayload: object };
  const padding = kind === 'text' ? 'x'.repeat(bytes) : OBJECTS;
  const paymentPayload = { ...request.paymentPayload, extensions: { padding } };
  const text = JSON.stringify({ ...request, paymentPayload });
  return text.replace(`"${OBJECTS}"`, () => `[${'{},'.repeat(Math.floor(bytes / 3) - 1)}{}]`);
}
