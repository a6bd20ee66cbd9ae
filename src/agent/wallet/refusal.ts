/** Says why the wallet does not pay. A value, never thrown. */
export interface Refusal {
  /**
   * `unfit`: the wallet cannot pay by such terms. `policy`: it must not. `objection`: its caller does not want it any
   * more. `network`: the network would not accept the payment. `unavailable`: the Stellar RPC does not answer.
   */
  readonly code: 'unfit' | 'policy' | 'objection' | 'network' | 'unavailable';
  readonly message: string;
}

export function refuse(code: Refusal['code'], message: string): Refusal {
  return { code, message };
}

export function isRefusal(value: object): value is Refusal {
  return 'code' in value && 'message' in value;
}
