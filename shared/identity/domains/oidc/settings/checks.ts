import { checkUrl } from '../../../../remotes/http/address-policy.ts';
import { isForManyTenants } from '../../../../remotes/oidc/provider/issuers.ts';
import type { SettingsCheck } from '../../domain-type.ts';
import type { OidcParams } from './params.ts';

type Check = SettingsCheck<OidcParams>;

const issuer: Check = {
  name: 'addresses',
  run: (params, { policy }) => {
    const check = checkUrl(params.issuer, policy);
    return check.ok ? [] : [{ pointer: '/params/issuer', code: 'address_not_allowed', detail: check.detail }];
  },
};

/** Claims that an administrator or the user can change at the provider, or that are assigned again to other people. */
const changeable = ['email', 'preferred_username', 'upn', 'unique_name', 'name', 'nickname', 'phone_number'];

const subject: Check = {
  name: 'subject',
  run: ({ subject_claim }) =>
    changeable.includes(subject_claim)
      ? [
          {
            pointer: '/params/subject_claim',
            code: 'not_allowed',
            detail: 'The claim can change or pass to another person; use sub or oid',
          },
        ]
      : [],
};

const tenants: Check = {
  name: 'tenants',
  run: (params) =>
    isForManyTenants(params.issuer) && params.allowed_tenants.length === 0
      ? [
          {
            pointer: '/params/allowed_tenants',
            code: 'required',
            detail: 'The issuer is for several tenants; enter those whose users may sign in',
          },
        ]
      : [],
};

/** Without a secret the portal refuses sign-ins. It never authenticates without one. */
const secret: Check = {
  name: 'account',
  advisory: true,
  run: ({ client_authentication }, { hasSecret }) => {
    if (client_authentication === 'private_key') return 'The portal authenticates with its key';
    return hasSecret('client_secret')
      ? []
      : [
          {
            pointer: '/params/client_secret',
            code: 'required',
            detail: 'Sign-ins require the secret of the portal at the provider',
          },
        ];
  },
};

/** Checks of the settings without the network, in the order in which a test reports them. */
export const oidcChecks: readonly Check[] = [issuer, subject, tenants, secret];
