import { readFile } from 'node:fs/promises';
import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { AGENT_CODES, type AgentCode } from '../../src/agent/codes.ts';
import { signerFromSecret } from '../../src/agent/wallet/index.ts';
import { openAgent, type ToolAnswer } from './support/agent.ts';
import { openSeller, whenPaid } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const stage = useAgentStage();

/** The eleven codes of specification 7.6. */
const SPECIFIED = [
  'svc_mcp_wallet_not_configured',
  'svc_mcp_invalid_arguments',
  'svc_mcp_unknown_resource_id',
  'svc_mcp_facilitator_unreachable',
  'svc_mcp_search_failed',
  'svc_mcp_resource_unreachable',
  'svc_mcp_resource_error',
  'svc_mcp_payment_declined_by_policy',
  'svc_mcp_payment_not_settled',
  'svc_mcp_tool_call_failed',
  'svc_mcp_internal_error',
];
/** Those that this server adds. */
const ADDED = ['svc_mcp_payment_not_approved', 'svc_mcp_busy'];

/** How each is reached. */
const REACHED: Record<AgentCode, () => Promise<ToolAnswer>> = {
  svc_mcp_wallet_not_configured: async () =>
    (await stage.searcher()).pay({ url: (await openSeller(stage)).url }),
  svc_mcp_invalid_arguments: async () => (await stage.searcher()).pay({}),
  svc_mcp_unknown_resource_id: async () => (await stage.searcher()).pay({ resourceId: 'svc1:W10' }),
  svc_mcp_facilitator_unreachable: async () =>
    (await openAgent({ FACILITATOR_URL: 'http://127.0.0.1:1' })).search('weather'),
  svc_mcp_search_failed: async () => {
    const { origin } = await openSeller(stage, (visit) => visit.deliver({}, undefined, 503));
    return (await openAgent({ FACILITATOR_URL: origin })).search('weather');
  },
  svc_mcp_resource_unreachable: async () => (await stage.searcher()).pay({ url: 'http://127.0.0.1:1/' }),
  svc_mcp_resource_error: async () => {
    const { url } = await openSeller(stage, (visit) =>
      visit.deliver({ error: 'no such town' }, undefined, 404),
    );
    return (await stage.searcher()).pay({ url });
  },
  svc_mcp_payment_declined_by_policy: async () => {
    const { url } = await openSeller(stage);
    return (await stage.buyer({ SVC_MCP_MAX_AMOUNT: '1' })).pay({ url });
  },
  svc_mcp_payment_not_approved: async () => {
    const { url } = await openSeller(stage);
    return (await stage.buyer({ SVC_MCP_APPROVE_ABOVE: '0' })).pay({ url });
  },
  svc_mcp_payment_not_settled: async () => {
    const { url } = await openSeller(
      stage,
      whenPaid((visit) => visit.deliver()),
    );
    return (await stage.buyer()).pay({ url });
  },
  svc_mcp_tool_call_failed: async () => {
    const { url } = await openToolServer(stage, () => ({ isError: true, content: [] }));
    return (await stage.searcher()).pay({ url, toolName: TOOL });
  },
  svc_mcp_busy: async () => {
    Object.assign(stage.limits, { maxCallsAtOnce: 0, maxCallsWaiting: 0 });
    return (await stage.searcher()).pay({ url: 'http://127.0.0.1:1/' });
  },
  svc_mcp_internal_error: async () => {
    const { address } = signerFromSecret(stage.sandbox.account().secret());
    const signAuthorization = (): xdr.ScVal => {
      throw new Error('the key is locked');
    };
    const { url } = await openSeller(stage);
    return (await stage.buyer({}, { signer: { address, signAuthorization } })).pay({ url });
  },
};

describe('the codes of the tool server', () => {
  test('are those of the specification, and a few more', () => {
    expect(new Set(Object.keys(AGENT_CODES))).toEqual(new Set([...SPECIFIED, ...ADDED]));
  });

  test.each(Object.entries(REACHED))('%s is reached, as a result with a reason', async (code, reach) => {
    const { isError, structured } = await reach();
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ errorCode: code, reason: expect.stringMatching(/./) });
    const { errorCode, reason, payment, ...others } = structured;
    if (payment === undefined) expect(others, 'without a payment there is nothing else to say').toEqual({});
    if (payment === undefined && code !== 'svc_mcp_search_failed')
      expect(reason).toMatch(/[Nn]othing was paid/);
  });

  test('each stand in docs/agent.md, with what to do next', async () => {
    const page = await readFile('docs/agent.md', 'utf8');
    for (const code of [...SPECIFIED, ...ADDED])
      expect(page).toMatch(new RegExp(`^- \`${code}\`: .+\\. [A-Z].+\\.$`, 'm'));
  });
});
