import { z } from 'zod';
import { permissions } from '../../../shared/access/permissions.ts';
import { Id, Moment, PlainName } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

const Permissions = z
  .array(z.enum(permissions).meta({ example: 'sites.read' }))
  .max(permissions.length)
  .transform((ids) => [...new Set(ids)].sort());

export const ServiceTokenWrite = z.strictObject({
  name: PlainName.meta({ example: 'Nightly report' }),
  expires_at: z.iso
    .datetime({ offset: true })
    .max(40)
    .meta({ description: 'At most 366 days from now', example: '2026-11-21T08:30:00.000Z' }),
  permissions: Permissions.meta({
    description: 'Of these the token has what the user holds as well, at each request; none for a mere user',
  }),
});

export const ServiceToken = z.strictObject({
  id: Id,
  name: z.string(),
  permissions: z.array(z.string()),
  created_at: Moment,
  expires_at: Moment,
  last_seen_at: Moment.nullable(),
});

export const NewServiceToken = ServiceToken.extend({
  token: z.string().meta({ description: 'For the header X-Auth-Token; shown this once' }),
});

export const ServiceTokensQuery = listQuery(['name', 'created_at', 'expires_at'], {});
