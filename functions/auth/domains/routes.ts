import { z } from 'zod';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { base, endpoint } from '../deps.ts';
import { shownDomains } from '../shown-domains.ts';
import { Domain } from './schema.ts';

export const domainOperations = [
  endpoint(
    {
      id: 'domain.list',
      route: `GET ${base}/authenticators`,
      access: 'public',
      summary: 'List the authentication domains of the sign-in form',
      returns: [200, z.array(Domain)],
    },
    async ({ deps }) =>
      (await shownDomains(deps)).map(({ emailDomains: _emails, isBuiltin: _isBuiltin, ...domain }) => ({
        ...domain,
        flow: domainTypeOf(domain.type).login.proof,
        isCustom: false,
      })),
  ),
];
