import { z } from 'zod';
import { permissions } from '../../../shared/context/permissions.ts';
import { Comments, CreatedAt, Id, idsOf, Name, UpdatedAt } from '../../../shared/shapes/fields.ts';

const PermissionId = z.enum(permissions).meta({ example: 'sites.read' });

export const RoleWrite = z.object({
  name: Name.describe('Name of the role, unique regardless of case.'),
  comments: Comments,
  permissions: z
    .array(PermissionId)
    .max(permissions.length)
    .transform((ids) => [...new Set(ids)].sort())
    .describe('Permissions that the role grants.'),
  scope: z
    .strictObject({
      sites: z
        .union([z.literal('*'), idsOf('site')])
        .default('*')
        .describe('`*`: all sites; otherwise identifiers of sites. Default `*`.'),
    })
    .default({ sites: '*' })
    .describe('Sites in which the permissions apply. Default: all.'),
});

export const Role = z.strictObject({
  id: Id.describe('Identifier of the role. Set by the portal.'),
  ...RoleWrite.shape,
  builtin: z.boolean().describe('True for a built-in role, which cannot be changed or deleted.'),
  users_count: z.int().describe('Number of users that have the role.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const PermissionEntry = z.strictObject({
  id: PermissionId.describe('Identifier of the permission: `<resource>.<action>`.'),
  resource: z.string().describe('Resource of the permission.'),
  action: z.string().describe('Action of the permission.'),
  name: z.string().describe('Display name of the permission.'),
  description: z.string().describe('Description of what the permission allows.'),
});
