import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk';
import type { FacilitatorRequest, PaymentRequirements } from '../../src/contract/index.ts';
import type { Faults } from '../../sandbox/faults.ts';
import type { Network } from '../../sandbox/network.ts';
import { requestFor, signTransfer } from './payments.ts';
import { decodeDraft, encodeDraft, invocationOf, sign, type Draft } from './paymentsDraft.ts';

type Open<T> = { -readonly [Key in keyof T]: T[Key] };

/** A transfer event as a simulation shows it, open to change. */
export interface DraftEvent {
  /** The emitting contract (C…). */
  contract: string | null;
  topics: xdr.ScVal[];
  data: xdr.ScVal;
  /** False: emitted in a call that was rolled back. */
  inSuccessfulCall: boolean;
}

/** What the RPC is made to say about a simulation that succeeded. */
export interface SimulationClaim {
  minResourceFee: string;
  /** The contract events; diagnostic ones stay as they are. */
  events: DraftEvent[];
}

/** A good payment, open to be spoiled in every part, and what a misbehaving RPC says about it. */
export interface Attempt {
  payer: Keypair;
  request: {
    x402Version: 2;
    paymentPayload: { x402Version: number; accepted: Record<string, unknown> };
    paymentRequirements: Open<PaymentRequirements>;
  };
  draft: Draft;
  /** What stands in `payload.transaction` instead of the draft. */
  transaction?: (encoded: string) => unknown;
  /** Edits of the simulation's answer: lies of the RPC. */
  claims: ((claim: SimulationClaim) => void)[];
  /** What the RPC simulates instead of the draft: a lie as well. */
  simulatedInstead?: (draft: Draft) => Draft;
}

export interface AttemptTerms {
  payer: Keypair;
  requirements: PaymentRequirements;
  expiration: number;
  nonce: bigint;
}

export function goodAttempt({ payer, requirements, expiration, nonce }: AttemptTerms): Attempt {
  const transaction = signTransfer({ key: payer, requirements, expiration, nonce });
  return {
    payer,
    request: requestFor(requirements, transaction) as Attempt['request'],
    draft: decodeDraft(transaction),
    claims: [],
  };
}

/** The request as it is sent. */
export function encodeAttempt({
  request,
  draft,
  transaction = (encoded) => encoded,
}: Attempt): FacilitatorRequest {
  const { paymentPayload } = request;
  const payload = { transaction: transaction(encodeDraft(draft)) };
  return { ...request, paymentPayload: { ...paymentPayload, payload } };
}

/** After a change of the call: the payer's signed entries follow it. */
export function followCall({ draft, payer }: Attempt): void {
  for (const entry of draft.entries) {
    if (!isOf(entry.address, payer) || entry.signature.type === 'scvVoid') continue;
    entry.invocation = invocationOf(draft);
    sign(entry, payer);
  }
}

/** Sends the attempt through `endpoint`, while the sandbox's RPC says what the attempt makes it say. */
export async function send<Answer>(
  attempt: Attempt,
  { network, faults }: { network: Network; faults: Faults },
  endpoint: (request: FacilitatorRequest) => Promise<Answer>,
): Promise<Answer> {
  const request = encodeAttempt(attempt);
  if (isHonest(attempt)) return endpoint(request);
  const answers = (result: any): unknown => {
    const honest: any = attempt.simulatedInstead
      ? simulate(attempt.simulatedInstead(attempt.draft), network)
      : result;
    return honest.error === undefined ? claimed(honest, attempt.claims) : honest;
  };
  faults.add({
    kind: 'rewrite',
    methods: ['simulateTransaction'],
    rewrite: (_method, result) => answers(result),
  });
  try {
    return await endpoint(request);
  } finally {
    faults.clear();
  }
}

/** Whether the RPC tells the truth about this attempt. */
export function isHonest({ claims, simulatedInstead }: Attempt): boolean {
  return claims.length === 0 && simulatedInstead === undefined;
}

/** The draft with the payer's signature in the payer's entries. */
export function signedBy(payer: Keypair): (draft: Draft) => Draft {
  return (draft) => {
    const entries = draft.entries.map((entry) => ({ ...entry }));
    for (const entry of entries) if (isOf(entry.address, payer)) sign(entry, payer);
    return { ...draft, entries };
  };
}

function simulate(draft: Draft, network: Network): unknown {
  const authMode = draft.entries.length > 0 ? 'enforce' : 'record';
  const answer = network.rpc('simulateTransaction', { transaction: encodeDraft(draft), authMode });
  if ('error' in answer) throw new Error(answer.error.message);
  return answer.result;
}

function claimed(result: any, claims: Attempt['claims']): unknown {
  const decoded = (result.events as string[]).map((event) => xdr.DiagnosticEvent.fromXdr(event, 'base64'));
  const isContract = ({ event }: xdr.DiagnosticEvent) => event.type.name === 'contract';
  const claim: SimulationClaim = {
    minResourceFee: result.minResourceFee,
    events: decoded.filter(isContract).map(decodeEvent),
  };
  for (const lie of claims) lie(claim);
  const events = [...decoded.filter((event) => !isContract(event)), ...claim.events.map(encodeEvent)];
  return {
    ...result,
    minResourceFee: claim.minResourceFee,
    events: events.map((event) => event.toXdr('base64')),
  };
}

function decodeEvent({ event, inSuccessfulContractCall }: xdr.DiagnosticEvent): DraftEvent {
  const { topics, data } = event.body.v0;
  return {
    contract: event.contractId && StrKey.encodeContract(event.contractId.value),
    topics: [...topics],
    data,
    inSuccessfulCall: inSuccessfulContractCall,
  };
}

function encodeEvent({ contract, topics, data, inSuccessfulCall }: DraftEvent): xdr.DiagnosticEvent {
  return new xdr.DiagnosticEvent({
    inSuccessfulContractCall: inSuccessfulCall,
    event: new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: contract === null ? null : new xdr.ContractId(StrKey.decodeContract(contract)),
      type: xdr.ContractEventType.contract,
      body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data })),
    }),
  });
}

function isOf(address: xdr.ScAddress, key: Keypair): boolean {
  return (
    address.type === 'scAddressTypeAccount' &&
    StrKey.encodeEd25519PublicKey(address.accountId.ed25519.value) === key.publicKey()
  );
}
