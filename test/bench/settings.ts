import { alice, domain } from '../simulator/demo/seed.ts';

/** The settings that the benchmark passes to its servers. */
export type Settings = {
  databaseUrl: string;
  baseUrl: string;
  secretKey: string;
  signingKey: string;
  adminPassword: string;
  /** The directory for the floor, where there is one. */
  directoryUrl?: string;
};

/** Both servers reach the same dispatcher and are reached in the same way. */
export const sameForBoth = {
  host: '127.0.0.1',
  trustProxy: 0,
  outbound: { allowedNetworks: ['127.0.0.0/8'], allowInsecure: false },
};

export const node = {
  name: 'north-1',
  healthKey: 'health key of north-1',
  domain: {
    authUuid: '3c1f7c1a-8a52-4d0e-9a3b-5f6f1c0d7e21',
    authSmallName: domain.small_name,
    auth: domain.name,
  },
};

/** The login of the user. */
export const loginBody = JSON.stringify({
  username: alice.name,
  password: alice.password,
  authSmallName: domain.small_name,
});
