/** The sandbox network in a process of its own, so that it takes no time from what is measured. */
import { startSandbox } from '../../sandbox/server.ts';
import { serve } from './child.ts';

export interface NetworkSetup {
  ledgerMs: number;
}

export interface NetworkAddress {
  url: string;
  httpsUrl: string;
  certificate: string;
}

serve(async ({ ledgerMs }: NetworkSetup): Promise<NetworkAddress> => {
  const { url, httpsUrl, caCertificate } = await startSandbox({ ledgerMs });
  return { url, httpsUrl, certificate: caCertificate };
});
