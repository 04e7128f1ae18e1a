import { z } from 'zod';
import { permissions } from '../../../shared/access/permissions.ts';
import { Comments, Id, Ids, Moment, Name } from '../../../shared/http/fields.ts';

const PermissionId = z.enum(permissions).meta({ example: 'sites.read' });

export const RoleWrite = z.object({
  name: Name,
  comments: Comments,
  permissions: z
    .array(PermissionId)
    .max(permissions.length)
    .transform((ids) => [...new Set(ids)].sort()),
  scope: z
    .strictObject({ sites: z.union([z.literal('*'), Ids]).default('*') })
    .default({ sites: '*' })
    .meta({ description: 'The sites within which the permissions hold' }),
});

export const Role = z.strictObject({
  id: Id,
  ...RoleWrite.shape,
  builtin: z.boolean(),
  users_count: z.int(),
  created_at: Moment,
  updated_at: Moment,
});

export const PermissionEntry = z.strictObject({
  id: PermissionId,
  resource: z.string(),
  action: z.string(),
  name: z.string(),
  description: z.string(),
});
