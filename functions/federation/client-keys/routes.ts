import { z } from 'zod';
import { findPublishedKeys } from '../../../db/repositories/identity/client-keys.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { oidcBase } from '../../../shared/identity/domains/oidc/addresses.ts';
import { typesWhere } from '../../../shared/identity/domains/registry.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { endpoint } from '../deps.ts';
import { ClientKeys } from './schema.ts';

const typesWithKeys = typesWhere(({ ownKey }) => ownKey !== undefined);

export const clientKeyOperations = [
  endpoint(
    {
      id: 'clientKey.list',
      route: `GET ${oidcBase}/{auth_uuid}/jwks`,
      access: 'public',
      summary: 'Get the public keys with which the portal authenticates to the identity provider of a domain',
      description:
        'A JSON Web Key Set (RFC 7517) for the registration of the portal at the provider. Empty if the portal authenticates with a secret.',
      params: z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') }),
      returns: [200, ClientKeys],
    },
    async ({ deps }, { params }) => {
      const keys = await findPublishedKeys(deps.db, params.auth_uuid, typesWithKeys);
      if (!keys) throw notFound();
      const published = keys.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id }));
      return new Answer({ keys: published }, { headers: { 'cache-control': 'public, max-age=60' } });
    },
  ),
];
