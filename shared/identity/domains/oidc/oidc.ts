import { canonicalJson } from '../../../kernel/json/json.ts';
import type { DomainType } from '../domain-type.ts';
import { texts as common } from '../form-texts.ts';
import { registrationOf } from './addresses.ts';
import { issuerOf, tenantsOf } from './binding.ts';
import { testConnection } from './connection-test/connection-test.ts';
import { texts } from './form-texts.ts';
import { oidcChecks } from './settings/checks.ts';
import { oidcFields } from './settings/fields.ts';
import { type OidcParams, oidcShape, oidcView } from './settings/params.ts';
import { reusesSecret } from './settings/secret-reuse.ts';

/** Users sign in on the pages of an identity provider (OpenID Connect Core 1.0). */
export const oidc: DomainType<OidcParams> = {
  about: {
    name: texts('Identity provider'),
    hint: 'sign-in at an identity provider by OpenID Connect',
    description: texts('Users sign in at an identity provider by OpenID Connect'),
    label_username: common('User name'),
    label_groupname: common('Group name'),
    label_password: common('Password'),
  },
  supports: {
    localUsers: false,
    ownPassword: false,
    createsUsers: false,
    searchesUsers: false,
    searchesGroups: false,
    secondFactor: true,
    refreshes: { name: true, groups: true },
    provisioning: true,
    bindAccount: false,
    groupsById: true,
  },
  settings: {
    fields: oidcFields,
    shape: oidcShape,
    view: oidcView,
    secrets: ['client_secret'],
    checks: oidcChecks,
    authority: ({ issuer }) => String(issuer),
    voucher: ({ issuer, discovery_url }) => canonicalJson([issuer, discovery_url ?? null]),
    keepsSecrets: reusesSecret,
  },
  login: { proof: 'redirect', names: 'as_typed' },
  registration: registrationOf,
  ownKey: { isUsed: ({ client_authentication }) => client_authentication === 'private_key' },
  test: testConnection,
  cards: undefined,
  attributes: undefined,
  directory: undefined,
  binding: { by: 'subject', tenantsOf, issuerOf },
};
