import {
  envelopeCodes,
  settleCodes,
  verifyCodes,
  type EnvelopeCode,
  type SettleCode,
  type VerifyCode,
} from '../contract/index.ts';

/** The codes of this tool server, each with what it asks an agent to do next. The list is closed. */
export const AGENT_CODES = {
  svc_mcp_wallet_not_configured: 'The target costs money and this server has no wallet: tell the user.',
  svc_mcp_invalid_arguments: 'Correct the arguments as the reason says, then call again.',
  svc_mcp_unknown_resource_id: 'Search again, and use an id from the new results.',
  svc_mcp_facilitator_unreachable: 'Try again later; a target whose URL is known can be called by it.',
  svc_mcp_search_failed: 'Try again later, or with another query.',
  svc_mcp_resource_unreachable: 'Nothing was paid: try again later, or choose another resource.',
  svc_mcp_resource_error:
    'Nothing was paid: correct the input as the reason says, or choose another resource.',
  svc_mcp_payment_declined_by_policy:
    'Nothing was paid: tell the user which limit was met. Try again only with a higher maxAmount, if the reason asks for one and the user agrees to pay that much.',
  svc_mcp_payment_not_approved:
    'Nothing was paid: tell the user the price. Try again only if the user wants to be asked again.',
  svc_mcp_payment_not_settled: 'Look at payment.status before anything else: it says whether money moved.',
  svc_mcp_tool_call_failed: "Read the tool's message; where there is a payment, look at payment.status.",
  svc_mcp_busy: 'Nothing was paid: make the call again once others have answered.',
  svc_mcp_internal_error: 'Tell the user; where there is a payment, look at payment.status.',
} as const;

export type AgentCode = keyof typeof AGENT_CODES;

/** A code of the facilitator or of the scheme, passed through unchanged. */
export type PassedCode = VerifyCode | SettleCode | EnvelopeCode;

const PASSED: ReadonlySet<string> = new Set([...verifyCodes, ...settleCodes, ...envelopeCodes]);

export function isPassedCode(code: unknown): code is PassedCode {
  return typeof code === 'string' && PASSED.has(code);
}

/** Says why a call failed. It is a value, which its class tells from JSON; an exception is a fault of this server. */
export class Failure {
  readonly code: AgentCode | PassedCode;
  /** Tells the agent what happened, and whether anything was paid. */
  readonly message: string;
  constructor(code: AgentCode | PassedCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Returns the failure of a call whose arguments are wrong, before anything was sent. */
export function invalidArguments(message: string): Failure {
  return new Failure('svc_mcp_invalid_arguments', `${message} Nothing was sent and nothing was paid.`);
}
