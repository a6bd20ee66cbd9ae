/** Makes accounts and money out of thin air (friendbot, mint, contract accounts), and shows balances. */
import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk';
import type { Network } from './network.ts';
import { MAX_INT64, STARTING_BALANCE_STROOPS } from './protocol.ts';
import { json, problem, type HttpReply } from './reply.ts';

/** `/friendbot?addr=G…`: creates an account with 10,000 XLM. Answers 400 if it exists or the address is malformed. */
export function friendbot(network: Network, query: URLSearchParams): HttpReply {
  const address = query.get('addr') ?? '';
  if (!StrKey.isValidEd25519PublicKey(address)) return problem(400, 'addr must be an account address (G…)');
  // Stock clients look for this word, and go on with the account that exists.
  if (network.balances(address).sequence !== null) {
    return problem(400, 'account already funded to starting balance (createAccountAlreadyExist)');
  }
  network.createAccount(address, STARTING_BALANCE_STROOPS);
  return json({
    successful: true,
    ...balanceOf(network, address),
    result_meta_xdr: creationMeta(network, address),
  });
}

/** `/mint?addr=&amount=[&asset=USDC|EURC|native]`: adds `amount` base units, and opens what is missing to hold them. */
export function mint(network: Network, query: URLSearchParams): HttpReply {
  const address = query.get('addr') ?? '';
  const amount = query.get('amount') ?? '';
  const asset = query.get('asset') ?? 'USDC';
  if (!isAddress(address)) return problem(400, 'addr must be an account or contract address (G… or C…)');
  if (!/^[1-9]\d{0,18}$/.test(amount) || BigInt(amount) > MAX_INT64) {
    return problem(
      400,
      `amount must be an integer from 1 to ${MAX_INT64}, in base units (10000000 = 1 USDC)`,
    );
  }
  if (asset !== 'USDC' && asset !== 'EURC' && asset !== 'native') {
    return problem(400, 'asset must be USDC, EURC or native');
  }
  try {
    network.mint(address, BigInt(amount), asset);
  } catch (error) {
    return problem(400, (error as Error).message);
  }
  return json({ successful: true, ...balanceOf(network, address) });
}

/** `/balance?addr=`: returns stroops, base units of USDC and EURC, and the sequence number (null without an account). */
export function balance(network: Network, query: URLSearchParams): HttpReply {
  const address = query.get('addr') ?? '';
  if (!isAddress(address)) return problem(400, 'addr must be an account or contract address (G… or C…)');
  return json(balanceOf(network, address));
}

/** `/contract-account?signer=G…`: returns the contract account (C…) that this ed25519 key signs for. */
export function contractAccount(network: Network, query: URLSearchParams): HttpReply {
  const signer = query.get('signer') ?? '';
  if (!StrKey.isValidEd25519PublicKey(signer))
    return problem(400, 'signer must be an ed25519 public key (G…)');
  return json({ address: network.contractAccount(StrKey.decodeEd25519PublicKey(signer)) });
}

function isAddress(address: string): boolean {
  return StrKey.isValidEd25519PublicKey(address) || StrKey.isValidContract(address);
}

function balanceOf(network: Network, address: string): object {
  const { native, usdc, eurc, sequence } = network.balances(address);
  return {
    ledger: network.latestLedger,
    native: String(native),
    usdc: String(usdc),
    eurc: String(eurc),
    sequence: sequence === null ? null : String(sequence),
  };
}

/** Returns the metadata of a creating transaction. Stock clients (`requestAirdrop`) read the sequence number in it. */
function creationMeta(network: Network, address: string): string {
  const key = xdr.LedgerKey.account(
    new xdr.LedgerKeyAccount({ accountId: Keypair.fromPublicKey(address).xdrAccountId() }),
  );
  const answer = network.rpc('getLedgerEntries', { keys: [key.toXdr('base64')] });
  const [entry] = (answer as { result: { entries: { xdr: string; lastModifiedLedgerSeq: number }[] } }).result
    .entries;
  const created = new xdr.LedgerEntry({
    lastModifiedLedgerSeq: entry!.lastModifiedLedgerSeq,
    data: xdr.LedgerEntryData.fromXdr(entry!.xdr, 'base64'),
    ext: xdr.LedgerEntryExt.v0(),
  });
  const changes = [xdr.LedgerEntryChange.ledgerEntryCreated(created)];
  return xdr.TransactionMeta.operations([new xdr.OperationMeta({ changes })]).toXdr('base64');
}
