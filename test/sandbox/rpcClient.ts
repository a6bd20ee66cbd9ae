/** A bare JSON-RPC call, for what stock SDKs would not send or not show. */
export async function callRpc(url: string, method: string, params?: unknown, id: unknown = 1): Promise<any> {
  const response = await post(url, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return response.json();
}

export function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** GET, JSON in the answer. */
export async function get(url: string): Promise<{ status: number; body: any }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}
