import { z } from 'zod';
import { listVisibleDomains } from '../../../db/repositories/identity/domain-list.ts';
import { base, endpoint } from '../deps.ts';
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
    async (ctx) => {
      const { portalType, db } = ctx.deps;
      const served = {
        admin: ['all', 'staff'],
        user: ['all', 'users'],
        universal: ['all', 'users', 'staff'],
      } as const;
      const domains = await listVisibleDomains(db, served[portalType]);
      return domains.map((domain) => ({ ...domain, isCustom: false }));
    },
  ),
];
