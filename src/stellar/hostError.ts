/** Explains the errors of the Soroban host during a transfer of a token. */
const MEANINGS: Readonly<Record<string, string>> = {
  'Auth, ExistingValue': 'its authorization is already used',
  'Auth, InvalidAction': "a signature is missing or wrong, or the payer's contract refuses it",
  'Auth, InvalidInput': 'its authorization has expired, or lasts longer than the network allows',
  'Budget, ExceededLimit': 'it takes more computation than the network allows',
  'Storage, MissingValue': 'the ledger lacks a contract or an entry that it needs',
  // The numbers are those of Stellar assets. Another token may mean something else by them.
  'Contract, #6': refusedBy('an account is missing'),
  'Contract, #8': refusedBy('the amount is negative'),
  'Contract, #10': refusedBy('the balance is too low, or would exceed the limit of a trustline'),
  'Contract, #11': refusedBy("the issuer has frozen a party's balance"),
  'Contract, #13': refusedBy('a trustline is missing'),
};

function refusedBy(meaning: string): string {
  return `the token refuses it, which with a Stellar asset means that ${meaning}`;
}

const KIND = /^HostError: Error\((\w{1,20}, #?\w{1,20})\)/;

/**
 * Returns what the host's error means, in plain words, with the kind of the error after it; undefined if this is none of
 * the host's. What follows the kind quotes the payload, and is left out.
 */
export function meaningOf(error: string): string | undefined {
  const [shown, kind] = KIND.exec(error) ?? [];
  if (shown === undefined || kind === undefined) return undefined;
  const meaning = Object.hasOwn(MEANINGS, kind) ? MEANINGS[kind] : undefined;
  return `${meaning ?? (kind.startsWith('Contract') ? 'a contract refuses it' : 'it fails')} (${shown})`;
}
