import type { OidcClient } from '../../../shared/remotes/oidc/port.ts';
import { secret } from './provider.ts';

type Peer = { issuer: string; ca: string };

/** The registration of the portal at a provider of the tests. */
export const registrationAt = ({ issuer, ca }: Peer, given: Partial<OidcClient> = {}): OidcClient => ({
  issuer,
  discoveryUrl: undefined,
  clientId: 'ask',
  authentication: { kind: 'secret', secret },
  ca,
  scopes: ['openid', 'profile', 'email'],
  isOffline: false,
  subjectClaim: 'sub',
  loginNameClaim: 'preferred_username',
  groupsClaim: 'groups',
  requiredClaims: [],
  trustsEmail: false,
  authorizationParameters: {},
  allowedTenants: [],
  acrValues: [],
  amrValues: [],
  prompt: undefined,
  deadlineMs: 5_000,
  ...given,
});

/** Values that the portal chooses for one sign-in. */
export const newRequest = () => ({
  state: crypto.randomUUID(),
  nonce: crypto.randomUUID(),
  codeVerifier: `${crypto.randomUUID()}${crypto.randomUUID()}`,
});
