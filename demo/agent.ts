/** Shows an agent that has only the tool server: it asks in plain words, makes one paid call and gets a receipt. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { units } from '../src/stellar/units.ts';
import { tellBooks } from './books.ts';
import { balancesOf } from './cast.ts';
import { claim } from './claim.ts';
import { receiptOf } from './receipt.ts';
import type { Stage } from './stage.ts';
import { bad, fact, good, paragraph, step, title } from './terminal.ts';

const QUESTION = 'I am off to Porto tomorrow. Will I need an umbrella, what is the weather going to be?';
const CITY = 'Porto';
/** Enough for the one call of this story, and for nothing else. */
const BUDGET = '100000';
/** The tool server's program. */
export const TOOL_SERVER = fileURLToPath(new URL('../dist/stellar-facilitator-mcp.js', import.meta.url));

interface Hit {
  id: string;
  resource: string;
  name: string;
  price: { amount: string };
  input: { example: unknown };
}

interface Paid {
  paid: boolean;
  receipt: { transaction: string; payer: string };
  payment: { status: string; receiptChecked: boolean };
  result: unknown;
}

/** Throws if a claim is false. */
export async function tellAgent(stage: Stage): Promise<void> {
  title('An agent that finds what it needs and pays for it, on a Stellar network inside this process');
  await sellBefore(stage);
  await using agent = await openAgent(stage);
  await tellTools(agent);
  const hit = await tellSearch(agent);
  await tellPaidCall(stage, agent, hit);
  await tellBudget(agent, hit);
}

/** A catalog lists what was paid for: somebody must have been there before. */
async function sellBefore({ buyer, seller }: Stage): Promise<void> {
  step(1, 'Someone has bought here before, so two resources are listed');
  for (const url of [`${seller.url}?city=Faro`, `${seller.tidesUrl}?harbour=Faro`]) {
    const { status } = await buyer.fetch(url);
    claim(status === 200, `${url} is sold (${status})`);
    fact('sold', url);
  }
}

interface Agent extends AsyncDisposable {
  client: Client;
  call<Result>(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ isError: boolean; structured: Result }>;
}

/** The tool server in a process of its own, as an agent's host starts it. */
async function openAgent({ cast, facilitator, sandbox }: Stage): Promise<Agent> {
  const client = new Client({ name: 'demo', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [TOOL_SERVER],
    env: {
      FACILITATOR_URL: facilitator.url,
      RPC_URL: sandbox.url,
      CLIENT_STELLAR_PRIVATE_KEY: cast.buyer.secret(),
      SVC_MCP_SESSION_BUDGET: BUDGET,
    },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return {
    client,
    async call(name, args) {
      const { isError = false, structuredContent } = await client.callTool({ name, arguments: args });
      return { isError: isError === true, structured: structuredContent as never };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function tellTools({ client }: Agent): Promise<void> {
  step(2, 'The host starts the tool server (stellar-facilitator-mcp), and the agent sees two tools');
  const { tools } = await client.listTools();
  for (const { name, title: label } of tools) fact('tool', `${name}: ${label ?? ''}`);
  claim(tools.length === 2, 'there are two tools');
  fact(
    'wallet',
    `the buyer's key, in the server's environment; ${units(BigInt(BUDGET))} USDC in this session`,
  );
}

async function tellSearch(agent: Agent): Promise<Hit> {
  step(3, 'The agent asks in plain words');
  fact('query', QUESTION);
  const { structured } = await agent.call<{ resources: Hit[] }>('search_resources', { query: QUESTION });
  structured.resources.forEach(({ name, resource, price }, index) =>
    fact(`hit ${index + 1}`, `${name}, ${resource}, ${units(BigInt(price.amount))} USDC`),
  );
  const [hit] = structured.resources;
  claim(hit !== undefined && structured.resources.length === 2, 'both resources are found');
  claim(hit.resource.endsWith('/weather'), 'the weather comes first');
  fact('id', hit.id);
  fact('example', JSON.stringify(hit.input.example));
  return hit;
}

async function tellPaidCall(stage: Stage, agent: Agent, hit: Hit): Promise<void> {
  const { network, cast } = stage;
  step(4, 'It calls the best hit: the tool server asks the price, signs once, and checks the receipt');
  const before = balancesOf(network, cast);
  const args = { resourceId: hit.id, input: { city: CITY } };
  fact('paid_call', JSON.stringify(args.input));
  const { isError, structured } = await agent.call<Paid>('paid_call', args);
  claim(!isError && structured.paid, `the call is paid for (${JSON.stringify(structured)})`);
  fact('result', JSON.stringify(structured.result));
  fact('payment', good(structured.payment.status));

  step(5, "The receipt's hash is on the ledger (read from the network)");
  const { transaction, payer } = structured.receipt;
  const { ledger, feeStroops } = receiptOf(network, transaction);
  fact('transaction', transaction);
  fact('ledger', String(ledger));
  claim(payer === cast.buyer.publicKey(), 'the receipt names the wallet as payer');
  claim(structured.payment.receiptChecked, 'the tool server has looked it up as well');
  tellBooks({
    number: 6,
    before,
    after: balancesOf(network, cast),
    price: BigInt(hit.price.amount),
    feeStroops,
  });
}

async function tellBudget(agent: Agent, hit: Hit): Promise<void> {
  step(7, 'A second call would exceed the budget of the session: nothing is signed');
  const { isError, structured } = await agent.call<{ errorCode: string; reason: string }>('paid_call', {
    resourceId: hit.id,
    input: { city: 'Braga' },
  });
  claim(isError && structured.errorCode === 'svc_mcp_payment_declined_by_policy', 'the budget holds');
  fact('declined', bad(structured.errorCode));
  paragraph('meaning', structured.reason);
}
