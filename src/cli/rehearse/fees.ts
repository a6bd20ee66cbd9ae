import type { Config } from '../../config/config.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { ok, warn, type Finding } from './finding.ts';

/** The resource fee that a transfer of a Stellar asset between two accounts usually needs on the public network. */
const USUAL_RESOURCE_FEE_STROOPS = 34_000;

/** Checks that the settings leave room for the fees that the network asks for now. */
export async function checkFees(rpc: Rpc, { fees }: Pick<Config, 'fees'>): Promise<Finding[]> {
  const { sorobanInclusionFee } = await rpc.call('getFeeStats');
  const wanted = Number(sorobanInclusionFee[`p${fees.percentile}`]);
  const asked = `the network's ${fees.percentile}th percentile for inclusion is ${wanted} stroops`;
  const room = fees.ceilingStroops - USUAL_RESOURCE_FEE_STROOPS;
  return [
    !Number.isFinite(wanted)
      ? warn(
          'fees',
          'the RPC has no statistics of recent fees: the service would bid MIN_INCLUSION_FEE_STROOPS',
        )
      : wanted > fees.maxInclusionStroops
        ? warn(
            'fees',
            `${asked}, above MAX_INCLUSION_FEE_STROOPS (${fees.maxInclusionStroops}): payments may wait or expire`,
          )
        : ok('fees', `${asked}; the service bids up to ${fees.maxInclusionStroops}`),
    room < fees.minInclusionStroops
      ? warn(
          'fees',
          `MAX_TRANSACTION_FEE_STROOPS (${fees.ceilingStroops}) is below what a usual payment needs, about ${USUAL_RESOURCE_FEE_STROOPS}`,
        )
      : ok(
          'fees',
          `at most ${fees.ceilingStroops} stroops are paid for a settlement; a usual one needs about ${USUAL_RESOURCE_FEE_STROOPS}`,
        ),
  ];
}
