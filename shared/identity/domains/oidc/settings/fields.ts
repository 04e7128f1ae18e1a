import { field } from '../form-texts.ts';
import { claimShapes, providerShapes, signInShapes } from './shapes.ts';

const provider = {
  issuer: field(providerShapes.issuer, {
    type: 'text',
    label: 'Issuer',
    tooltip: 'Address of the provider without /.well-known/openid-configuration',
    tab: 'Provider',
  }),
  discovery_url: field(providerShapes.discovery_url, {
    type: 'text',
    label: 'Discovery address',
    tooltip: 'Only if the configuration of the provider is not below the issuer',
    tab: 'Provider',
  }),
  client_id: field(providerShapes.client_id, {
    type: 'text',
    label: 'Client identifier',
    tooltip: 'Identifier of the portal at the provider',
    tab: 'Provider',
  }),
  client_authentication: field(providerShapes.client_authentication, {
    type: 'choice',
    label: 'Authentication of the portal',
    tooltip: 'A secret of the provider, or a key of the portal whose public part the provider reads',
    choices: { client_secret: 'Client secret', private_key: 'Key of the portal' },
    tab: 'Provider',
  }),
  client_secret: field(providerShapes.client_secret, {
    type: 'password',
    label: 'Client secret',
    tooltip: 'Never displayed. Leave it empty to keep the stored secret while the issuer stays the same',
    tab: 'Provider',
  }),
  ca_certificate: field(providerShapes.ca_certificate, {
    type: 'textarea',
    label: 'Certificate authority of the provider',
    tooltip: 'PEM certificates that are trusted in place of the public certificate authorities',
    tab: 'Provider',
  }),
  timeout_s: field(providerShapes.timeout_s, {
    type: 'numeric',
    label: 'Time limit of the provider',
    tooltip: 'Maximum duration of all requests of one sign-in in seconds',
    tab: 'Provider',
  }),
};

const claims = {
  scopes: field(claimShapes.scopes, {
    type: 'editlist',
    label: 'Scopes',
    tooltip: 'Requested scopes; openid is required',
    tab: 'Claims',
  }),
  subject_claim: field(claimShapes.subject_claim, {
    type: 'text',
    label: 'Claim of the person',
    tooltip: 'Identifies a person and never changes: sub, or oid for Microsoft Entra ID with provisioning',
    tab: 'Claims',
  }),
  confirms_subject_claim: field(claimShapes.confirms_subject_claim, {
    type: 'checkbox',
    label: 'The claim of the person is unchangeable',
    tooltip:
      'Required for other claims than sub and oid: an account that gets the value of another person is that person here',
    tab: 'Claims',
  }),
  login_name_claim: field(claimShapes.login_name_claim, {
    type: 'text',
    label: 'Claim of the login name',
    tooltip: 'Contains the login name',
    tab: 'Claims',
  }),
  groups_claim: field(claimShapes.groups_claim, {
    type: 'text',
    label: 'Claim of the groups',
    tooltip:
      'Contains identifiers of groups; can be a path such as realm_access.roles. Empty if SCIM provisions groups',
    tab: 'Claims',
  }),
};

const signIn = {
  allowed_tenants: field(signInShapes.allowed_tenants, {
    type: 'editlist',
    label: 'Allowed tenants',
    tooltip: 'Identifiers of the tenants of Microsoft Entra ID whose users may sign in',
    tab: 'Sign-in',
  }),
  required_claims: field(signInShapes.required_claims, {
    type: 'editlist',
    label: 'Required claims',
    tooltip:
      'Who may sign in: claim=value, such as hd=example.com or email=@example.com. One value of each claim',
    tab: 'Sign-in',
  }),
  trusts_email: field(signInShapes.trusts_email, {
    type: 'checkbox',
    label: 'E-mail addresses are verified',
    tooltip:
      'The addresses of the provider count as verified although it does not say so, as Microsoft Entra ID',
    tab: 'Sign-in',
  }),
  authorization_parameters: field(signInShapes.authorization_parameters, {
    type: 'editlist',
    label: 'Further parameters',
    tooltip: 'Parameters of the request to the provider: name=value, such as domain_hint=example.com',
    tab: 'Sign-in',
  }),
  email_domains: field(signInShapes.email_domains, {
    type: 'editlist',
    label: 'E-mail domains',
    tooltip: 'The sign-in page selects this domain for addresses with these endings',
    tab: 'Sign-in',
  }),
  create_users: field(signInShapes.create_users, {
    type: 'checkbox',
    label: 'Add users at the first sign-in',
    tooltip: 'Otherwise only users that provisioning has added can sign in',
    tab: 'Sign-in',
  }),
  acr_values: field(signInShapes.acr_values, {
    type: 'editlist',
    label: 'Authentication contexts',
    tooltip: 'Values of acr that the portal requests and that count as a second factor',
    tab: 'Sign-in',
  }),
  amr_values: field(signInShapes.amr_values, {
    type: 'editlist',
    label: 'Authentication methods',
    tooltip: 'Values of amr that count as a second factor, such as mfa',
    tab: 'Sign-in',
  }),
  response_mode: field(signInShapes.response_mode, {
    type: 'choice',
    label: 'Response mode',
    tooltip: 'How the browser returns from the provider',
    choices: { query: 'Query', form_post: 'Form' },
    tab: 'Sign-in',
  }),
  prompt: field(signInShapes.prompt, {
    type: 'choice',
    label: 'Prompt',
    tooltip: 'What the provider asks at each sign-in',
    choices: {
      default: 'As the provider decides',
      login: 'Credentials',
      consent: 'Consent',
      select_account: 'Choice of the account',
    },
    tab: 'Sign-in',
  }),
  provider_logout: field(signInShapes.provider_logout, {
    type: 'checkbox',
    label: 'Log out at the provider',
    tooltip: 'A log-out in the browser also ends the session at the provider',
    tab: 'Sign-in',
  }),
  recheck: field(signInShapes.recheck, {
    type: 'checkbox',
    label: 'Regular check at the provider',
    tooltip:
      'Requests offline_access. Sessions end when the provider withdraws the access, and groups follow it',
    tab: 'Sign-in',
  }),
};

/** The settings of an identity provider, in the order of their form. */
export const oidcFields = { ...provider, ...claims, ...signIn };
