import { z } from 'zod';
import { permissions } from '../../../shared/context/permissions.ts';
import { Id, Moment, PlainName } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';

const Permissions = z
  .array(z.enum(permissions).meta({ example: 'sites.read' }))
  .max(permissions.length)
  .transform((ids) => [...new Set(ids)].sort());

export const ServiceTokenWrite = z.strictObject({
  name: PlainName.meta({ example: 'Nightly report' }).describe('Name of the token, unique for its user.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .max(40)
    .meta({ example: '2026-11-21T08:30:00.000Z' })
    .describe('Expiration time of the token, at most 366 days from now.'),
  permissions: Permissions.describe(
    'Permissions of the token. A request has only those permissions that the user currently holds as well.',
  ),
});

export const ServiceToken = z.strictObject({
  id: Id.describe('Identifier of the token. Set by the portal.'),
  name: z.string().describe('Name of the token.'),
  permissions: z
    .array(z.string())
    .describe(
      'Permissions of the token. A request has only those permissions that the user currently holds as well.',
    ),
  created_at: Moment.describe('When the token was created.'),
  expires_at: Moment.describe('Expiration time of the token.'),
  last_seen_at: Moment.nullable().describe(
    'When the token was last used, recorded at most once a minute. Null before the first use.',
  ),
});

export const NewServiceToken = ServiceToken.extend({
  token: z.string().describe('The token, for the header `X-Auth-Token`. Returned once.'),
});

export const ServiceTokensQuery = listQuery(['name', 'created_at', 'expires_at'], {});
