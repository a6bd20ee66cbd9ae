/**
 * A seller on Next that settles its own payments. Needs PAY_TO, and the facilitator's settings, such as SUBMITTER_SECRET.
 * Run `npm ci`, then `npm install stellar-facilitator`.
 */
import { withX402, x402ResourceServer } from '@x402/next';
import { ExactStellarScheme } from '@x402/stellar/exact/server';
import { NextResponse, type NextRequest } from 'next/server';
import { createFacilitator } from 'stellar-facilitator';

type Handler = (request: NextRequest) => Promise<NextResponse>;

async function open(): Promise<Handler> {
  const payTo = process.env['PAY_TO'];
  if (!payTo) throw new Error('set PAY_TO to your address');

  const facilitator = await createFacilitator(process.env);
  process.once('SIGTERM', () => void facilitator.close());
  // @x402/next asks how payments flow, and @x402/stellar 2.9.0 does not say.
  const stellar = Object.assign(new ExactStellarScheme(), {
    defaultAssetTransferMethod: 'default',
    paymentFlows: { default: { supported: ['authorization'], default: 'authorization' } },
  } as const);
  const accepts = {
    scheme: 'exact',
    network: 'stellar:testnet',
    payTo,
    price: '$0.01',
    maxTimeoutSeconds: 60,
  } as const;
  const server = new x402ResourceServer(facilitator).register('stellar:testnet', stellar);
  return withX402(weather, { accepts, description: 'The weather today' }, server);
}

async function weather(): Promise<NextResponse> {
  return NextResponse.json({ city: 'Lisbon', weather: 'sunny' });
}

// The build loads this file, too, and the development server loads it again after each change. So the first request
// opens the facilitator, and the process keeps it.
const kept = globalThis as { seller?: Promise<Handler> | undefined };

export async function GET(request: NextRequest): Promise<NextResponse> {
  kept.seller ??= open().catch((error: unknown) => {
    kept.seller = undefined;
    throw error;
  });
  const seller = await kept.seller;
  return seller(request);
}
