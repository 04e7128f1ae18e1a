import { z } from 'zod';
import { findDomain } from '../../../../db/repositories/identity/authenticators.ts';
import { countByIssuer } from '../../../../db/repositories/identity/directory/identities.ts';
import { admit } from '../../../../shared/access/guard.ts';
import { domainTypeOf } from '../../../../shared/identity/domains/registry.ts';
import { aliveSince } from '../../../../shared/identity/login-sessions.ts';
import { AppError, notFound } from '../../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../../deps.ts';

const Count = z.strictObject({
  issuer: z.string().meta({ example: 'https://login.example.com' }).describe('Issuer of the ID tokens.'),
  is_present: z.boolean().describe('True if the settings of the domain accept ID tokens of this issuer.'),
  people: z.int().describe('Number of people whose identifier the issuer has assigned.'),
  with_roles: z.int().describe('Number of these people who have roles.'),
  sessions: z.int().describe('Number of live sessions of these people.'),
});

export const Identities = z.strictObject({
  items: z
    .array(Count)
    .describe('The issuer of the settings, and each one that has people in the domain. Ordered by `issuer`.'),
});

/** A domain whose people are identified by an issuer and a subject. */
export type ProviderDomain = {
  name: string;
  /** The issuer of the settings. */
  issuer: string;
  /** Issuers of the ID tokens that the settings accept, `issuer` included. */
  accepted: ReadonlySet<string>;
};

/** @returns undefined for a domain without an identity provider. @throws AppError `not_found` */
export async function findProviderDomain(
  { deps }: WebuiCtx,
  id: string,
): Promise<ProviderDomain | undefined> {
  const domain = await findDomain(deps.db, id);
  if (!domain) throw notFound();
  const { binding } = domainTypeOf(domain.type);
  if (binding?.by !== 'subject') return undefined;
  const { issuerOf, tenantsOf } = binding;
  const issuer = issuerOf(domain.params, undefined);
  const tenants = tenantsOf(domain.params).map((tenant) => issuerOf(domain.params, tenant));
  return { name: domain.name, issuer, accepted: new Set([issuer, ...tenants]) };
}

/**
 * The people of a domain by the issuer that vouches for them: at another one than the present, they cannot sign in.
 * @throws AppError `not_found` without an identity provider, `forbidden` without `users.read`
 */
export async function listIdentities(ctx: WebuiCtx, domainId: string): Promise<z.input<typeof Identities>> {
  admit(ctx.principal, { access: 'users.read', writes: false });
  const domain = await findProviderDomain(ctx, domainId);
  if (!domain) throw new AppError('not_found', 'The domain has no identity provider');
  const { issuer: present, accepted } = domain;
  const found = await countByIssuer(ctx.deps.db, { domainId, present }, aliveSince(ctx));
  const none = { issuer: present, people: 0, with_roles: 0, sessions: 0 };
  const all = found.some(({ issuer }) => issuer === present) ? found : [none, ...found];
  return {
    items: all
      .toSorted((one, other) => (one.issuer < other.issuer ? -1 : 1))
      .map((count) => ({ ...count, is_present: accepted.has(count.issuer) })),
  };
}
