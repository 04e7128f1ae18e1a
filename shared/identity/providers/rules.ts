import type { OidcParams } from '../domains/oidc/settings/params.ts';

/** Settings of a domain that decide about its accounts. */
export type AccountRules = {
  createsUsers: boolean;
  /** True if membership in a registered group is required, and the groups of the portal follow the provider. */
  readsGroups: boolean;
  /** True if the session is also ended at the provider, which needs its ID token. */
  logsOut: boolean;
  /** True if the provider is asked regularly whether the session may continue. */
  rechecks: boolean;
  /** The e-mail addresses of the provider count as verified. */
  trustsEmail: boolean;
};

export const rulesOf = (params: OidcParams): AccountRules => ({
  createsUsers: params.create_users,
  readsGroups: params.groups_claim !== '',
  logsOut: params.provider_logout,
  rechecks: params.recheck,
  trustsEmail: params.trusts_email,
});
