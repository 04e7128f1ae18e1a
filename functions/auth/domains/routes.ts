import { z } from 'zod';
import { findLiveDomain, listVisibleDomains } from '../../../db/repositories/domain-list.ts';
import { Id } from '../../../shared/http/fields.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import { base, endpoint } from '../deps.ts';
import { Domain, PkinitFinalize, PkinitLogin, PkinitRaw } from './schema.ts';

const params = z.object({ auth_uuid: Id });

/** No domain has Kerberos parameters yet; the calls answer as for such a domain. */
const pkinit = (step: 'login' | 'raw' | 'finalize', summary: string, body: z.ZodType) =>
  endpoint(
    {
      id: `pkinit.${step}`,
      route: `PATCH ${base}/authenticators/{auth_uuid}/pkinit/${step}`,
      access: 'public',
      summary,
      params,
      body: { required: body },
      returns: [200, z.strictObject({})],
      errors: ['invalid_state'],
    },
    async (ctx, { params: { auth_uuid } }) => {
      if (!(await findLiveDomain(ctx.deps.db, auth_uuid))) throw notFound();
      throw conflict('no_kerberos', 'The domain has no Kerberos parameters');
    },
  );

export const domainOperations = [
  endpoint(
    {
      id: 'domain.list',
      route: `GET ${base}/authenticators`,
      access: 'public',
      summary: 'List of authentication domains',
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
      return domains.map((domain) => ({ ...domain, isCustom: false, isPkinit: false }));
    },
  ),
  pkinit('login', 'Start Kerberos PKINIT authentication and return data to be signed', PkinitLogin),
  pkinit('raw', 'Direct request to the PKINIT server with a signed certificate', PkinitRaw),
  pkinit('finalize', 'Finish Kerberos PKINIT authentication', PkinitFinalize),
];
