import type { NextConfig } from 'next';

/** The facilitator starts threads from its own files, so Next must not bundle it. */
const config: NextConfig = { serverExternalPackages: ['stellar-facilitator'] };

export default config;
