import { Asset, Contract, StrKey } from '@stellar/stellar-sdk';
import { assetOfContract } from '../stellar/assetContract.ts';
import { codeOfAsset, contractOfAsset, KNOWN_ASSETS } from '../stellar/assets.ts';
import { PASSPHRASES, type Network } from '../stellar/networks.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { readEntries } from './entries.ts';
import { ok, unpaid, warn, type Finding } from './finding.ts';
import { MAX_DECIMALS } from './limits.ts';
import type { Offer } from './offers.ts';
import { quoted } from './quoted.ts';
import { view } from './view.ts';

/** A token that answers. */
export interface Token {
  readonly contract: string;
  /** The code of a known asset, or "units". */
  readonly unit: string;
  readonly decimals: number;
  /** Undefined if the token is not an asset that Stellar itself issues. */
  readonly issued: Asset | undefined;
}

/** Yields what is found of an offer's asset, and returns it if it can be paid with. Throws an RpcFault. */
export async function* checkAsset(
  rpc: Rpc,
  { place, network, entry: { asset } }: Offer,
): AsyncGenerator<Finding, Token | undefined> {
  const check = `${place}.asset`;
  if (typeof asset !== 'string' || !StrKey.isValidContract(asset)) {
    const text = `is ${quoted(asset)}, which is not the address of a contract (C…)`;
    yield unpaid(check, text, contractMeant(asset, network));
    return undefined;
  }
  const [decimals, name] = [await view(rpc, asset, 'decimals'), await view(rpc, asset, 'name')];
  if ('problem' in decimals || !isDecimals(decimals.value)) {
    const why = 'problem' in decimals ? decimals.problem : 'decimals() returns no number that is usual';
    yield (await exists(rpc, asset))
      ? warn(
          check,
          `does not tell its decimals, as tokens (SEP-41) do: ${why}`,
          'Name a token whose code you know.',
        )
      : unpaid(check, `is no contract on ${network}`, elsewhere(asset, network));
    return undefined;
  }
  const said = 'value' in name && typeof name.value === 'string' ? name.value : '';
  const issued = assetOfContract(asset, said, PASSPHRASES[network]);
  const code = codeOfAsset(asset);
  yield issued === undefined ? unverified(check, said) : ok(check, describe(code, issued));
  return { contract: asset, unit: code ?? issued?.getCode() ?? 'units', decimals: decimals.value, issued };
}

const isDecimals = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= MAX_DECIMALS;

async function exists(rpc: Rpc, contract: string): Promise<boolean> {
  const key = new Contract(contract).getFootprint().toXdr('base64');
  return (await readEntries(rpc, [key])).has(key);
}

function describe(code: string | undefined, issued: Asset): string {
  if (code !== undefined) return `is ${code}`;
  return `is ${issued.getCode()}, issued by ${issued.getIssuer()}, which is not among the assets known by name`;
}

function unverified(check: string, name: string): Finding {
  return warn(
    check,
    `is a token of its own (${quoted(name)}): its author's code decides what a payment does`,
    'Compare your balance before and after a payment, or take an asset that is issued on Stellar itself.',
  );
}

/** Returns which contract to name for the code of an asset, or for a code and its issuer. */
function contractMeant(asset: unknown, network: Network): string {
  const [code = '', issuer] = typeof asset === 'string' ? asset.split(/[:-]/) : [];
  const known = contractOfAsset(code.toUpperCase(), network);
  if (issuer === undefined && known !== undefined) return `For ${code.toUpperCase()}, name ${known}.`;
  if (issuer !== undefined && StrKey.isValidEd25519PublicKey(issuer) && /^[A-Za-z0-9]{1,12}$/.test(code))
    return `Name its contract: ${new Asset(code, issuer).contractId(PASSPHRASES[network])}.`;
  return `Name a token's contract. For USDC it is ${contractOfAsset('USDC', network)}.`;
}

function elsewhere(contract: string, network: Network): string {
  const code = codeOfAsset(contract);
  const isHere = KNOWN_ASSETS[network].some((known) => known.contract === contract);
  if (code === undefined || isHere) return `Name a token that is deployed on ${network}.`;
  return `This is ${code} of the other network. Here it is ${contractOfAsset(code, network)}.`;
}
