/** The sandbox uses the assets, passphrase and lifetimes of the public network that is chosen. */
import { Contract, Networks, TransactionBuilder, Account, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { createNetwork } from '../../sandbox/network.ts';
import type { NetworkName } from '../../sandbox/networks.ts';
import { address, i128, keypair } from './wallet.ts';

const payer = keypair('payer').publicKey();

/** The addresses that Circle publishes. */
const ASSETS: Record<NetworkName, Record<string, string>> = {
  testnet: {
    USDC: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
    EURC: 'CCUUDM434BMZMYWYDITHFXHDMIVTGGD6T2I5UKNX5BSLXLW7HVR4MCGZ',
  },
  pubnet: {
    USDC: 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
    EURC: 'CDTKPWPLOURQA2SGTKTUQOWRCBZEORB4BWBOMJ3D3ZTQQSGE5F6JBQLV',
  },
};

function start(name: NetworkName) {
  const network = createNetwork({ network: name });
  const simulate = (contract: string, method: string, ...args: xdr.ScVal[]): any => {
    const source = new Account(payer, '0');
    const transaction = new TransactionBuilder(source, { fee: '100', networkPassphrase: network.passphrase })
      .addOperation(new Contract(contract).call(method, ...args))
      .setTimeout(0)
      .build();
    const answer: any = network.rpc('simulateTransaction', { transaction: transaction.toXdr() });
    return answer.result;
  };
  return { network, simulate };
}

describe.each(['testnet', 'pubnet'] as const)('%s', (name) => {
  test.each(['USDC', 'EURC'] as const)('has the contract of %s at its own address', (asset) => {
    const { network, simulate } = start(name);
    network.mint(payer, 7n, asset);
    const { results } = simulate(ASSETS[name][asset]!, 'balance', address(payer));
    expect(xdr.ScVal.fromXdr(results[0].xdr, 'base64')).toEqual(i128(7n));
  });

  test('reports its passphrase', () => {
    const { network } = start(name);
    const passphrase = name === 'testnet' ? Networks.TESTNET : Networks.PUBLIC;
    expect(network.rpc('getNetwork', {})).toMatchObject({ result: { passphrase } });
  });
});

test('new entries live longer on the public network, and cost more', () => {
  const [ours, theirs] = (['testnet', 'pubnet'] as const).map((name) => {
    const { network, simulate } = start(name);
    network.mint(payer, 7n, 'native');
    const native = name === 'testnet' ? 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC' : NATIVE;
    const allowance = [address(payer), address(ASSETS[name]['USDC']!), i128(5n), xdr.ScVal.scvU32(1_100)];
    return Number(simulate(native, 'approve', ...allowance).minResourceFee);
  });
  expect(theirs).toBeGreaterThan(ours!);
});

const NATIVE = 'CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA';
