import type { Detail } from '../../../messages/message.ts';

/** What an administrator can change, by the reason of a refusal of the remote or of the account. */
const remedies: Readonly<Record<string, Detail>> = {
  unreachable: 'Check the address of the provider, and that this portal can reach it',
  address_not_allowed: 'Add the network of the provider to ALLOWED_PRIVATE_NETWORKS',
  discovery: 'Check the issuer, and the member of the configuration that is named',
  invalid_response: 'The provider does not work as it should at the named endpoint: read its log',
  issuer_mismatch:
    'Enter the issuer that the provider names; if its configuration is elsewhere, enter the discovery address',
  state_mismatch: 'Start the test again',
  nonce_mismatch: 'Start the test again',
  token_invalid: 'Check the client identifier, and the clocks of portal and provider',
  refused:
    'Look the error code up in the documentation of the provider; check secret, redirect address and scopes',
  tenant_not_allowed: 'Add the tenant to the allowed tenants if its users may sign in',
  claim_not_allowed: 'Add the value to the required claims if such people may sign in',
  email_unverified:
    'Let the provider verify addresses, or confirm in the settings that all its addresses are verified',
  claim_missing: 'Let the provider send the claim, or name another one: the claims that it sends are below',
  subject_mismatch: 'The userinfo endpoint describes another person: read the log of the provider',
  groups_unavailable: 'Let the portal read the groups in Microsoft Graph, or assign fewer groups to it',
  not_configured: 'Enter the secret of the portal at the provider',
  no_account: 'Add the user by provisioning, or let the domain add users at their first sign-in',
  name_reserved: 'Choose another claim for the login name',
  name_in_use: 'Bind the user who has this name to the person, or rename the user',
  account_disabled: 'Activate the user in the portal',
  no_registered_group: 'Register one of the groups that the provider sends, or check the claim of the groups',
  unusable_person: 'Choose another claim for the login name',
};

export const remedyOf = (reason: string | null): Detail | undefined =>
  reason !== null && Object.hasOwn(remedies, reason) ? remedies[reason] : undefined;
