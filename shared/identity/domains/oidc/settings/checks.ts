import { checkUrl } from '../../../../remotes/http/address-policy.ts';
import { isForManyTenants } from '../../../../remotes/oidc/provider/issuers.ts';
import type { SettingsCheck } from '../../domain-type.ts';
import type { OidcParams } from './params.ts';

type Check = SettingsCheck<OidcParams>;

const issuer: Check = {
  name: 'addresses',
  run: (params, { policy }) => {
    const addresses = {
      issuer: ['provider', params.issuer],
      discovery_url: ['discovery', params.discovery_url],
    } as const;
    return Object.entries(addresses).flatMap(([name, [profile, address]]) => {
      const check = address === null ? { ok: true as const } : checkUrl(address, profile, policy);
      return check.ok
        ? []
        : [{ pointer: `/params/${name}`, code: 'address_not_allowed', detail: check.detail }];
    });
  },
};

/**
 * The claims that OpenID Connect and Microsoft promise never to change and never to assign again. A custom one can be as good, which
 * only a person can know.
 */
const lasting = ['sub', 'oid'];

const subject: Check = {
  name: 'subject',
  run: ({ subject_claim, confirms_subject_claim }, { tolerated }) =>
    lasting.includes(subject_claim) || confirms_subject_claim || subject_claim === tolerated.subject_claim
      ? []
      : [
          {
            pointer: '/params/subject_claim',
            code: 'not_allowed',
            detail:
              'Other claims than sub and oid can change or pass to another person; confirm that this one does not',
          },
        ],
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
