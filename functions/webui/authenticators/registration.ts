import { z } from 'zod';
import { findDomain } from '../../../db/repositories/identity/authenticators.ts';
import { findClientKeys } from '../../../db/repositories/identity/client-keys.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { scimBase } from '../../../shared/identity/scim/urns.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { inLanguage } from '../../../shared/messages/message.ts';
import { Id, Moment } from '../../../shared/shapes/fields.ts';
import type { WebuiCtx } from '../deps.ts';

const address = (description: string) => z.string().describe(description);

export const RegistrationView = z.strictObject({
  admission: z
    .string()
    .meta({ example: 'Members of the registered groups can sign in' })
    .describe('Who can sign in with the present settings, in the language of the request.'),
  redirect_uris: z
    .array(z.string())
    .describe('Addresses to which the provider returns browsers after a sign-in (RFC 7591).'),
  post_logout_redirect_uris: z
    .array(z.string())
    .describe(
      'Addresses to which the provider returns browsers after a sign-out. Empty without `provider_logout`.',
    ),
  backchannel_logout_uri: address(
    'Address to which the provider reports ended sessions (Back-Channel Logout 1.0).',
  ),
  jwks_uri: address(
    'Address of the public keys of the portal. Null if it authenticates with a secret.',
  ).nullable(),
  scim_uri: address('Address for the provisioning of users and groups by SCIM 2.0 (RFC 7644).').nullable(),
  keys: z
    .array(
      z.strictObject({
        id: Id.describe('Identifier of the key, the `kid` of assertions.'),
        created_at: Moment.describe('When the key was created.'),
      }),
    )
    .describe(
      'Keys of the portal: the signing key, then its predecessor, which stays published until the next rotation.',
    ),
});

/**
 * What the administrator of the provider must know of the portal.
 * @throws AppError `not_found` if there is no domain, or none with an identity provider
 */
export async function registrationOf(
  { deps, language }: WebuiCtx,
  id: string,
): Promise<z.input<typeof RegistrationView>> {
  const domain = await findDomain(deps.db, id);
  if (!domain) throw notFound();
  const { registration, ownKey, supports } = domainTypeOf(domain.type);
  if (!registration) throw new AppError('not_found', 'The domain has no identity provider');
  const keys = ownKey?.isUsed(domain.params) ? await findClientKeys(deps.db, id) : [];
  const { admission, ...addresses } = registration(domain, deps.baseUrl);
  return {
    ...addresses,
    admission: inLanguage(admission, language),
    scim_uri: supports.provisioning ? scimBase(deps.baseUrl, id) : null,
    keys: keys.map((key) => ({ id: key.id, created_at: key.created_at.toISOString() })),
  };
}
