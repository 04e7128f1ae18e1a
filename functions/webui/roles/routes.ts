import { z } from 'zod';
import { actionOf, permissions, resourceOf } from '../../../shared/access/permissions.ts';
import { Id } from '../../../shared/http/fields.ts';
import { base, endpoint } from '../deps.ts';
import { roleCrud } from './record.ts';
import { PermissionEntry, Role } from './schema.ts';
import { createRole, deleteRole, replaceRole, updateRole } from './usecases.ts';

const { operations, shapes } = roleCrud;
const collection = `${base}/rbac` as const;
const params = z.object({ id: Id });
const words = (text: string): string => text.replaceAll('_', ' ');

const catalogue = permissions.map((id) => {
  const [resource, action] = [resourceOf(id), actionOf(id)];
  const name = `${words(resource)}: ${action}`;
  return { id, resource, action, name, description: `Allows to ${action} ${words(resource)}` };
});

export const roleOperations = [
  ...operations,
  endpoint(
    {
      id: 'role.listPermissions',
      route: `GET ${collection}/permissions`,
      access: 'roles.read',
      summary: 'List available user permissions',
      returns: [200, z.array(PermissionEntry)],
    },
    () => catalogue,
  ),
  endpoint(
    {
      id: 'role.create',
      route: `POST ${collection}`,
      access: 'roles.create',
      summary: 'Create a role',
      body: { required: shapes.body },
      returns: [201, Role],
      errors: ['already_exists'],
    },
    (ctx, { body }) => createRole(ctx, body),
  ),
  endpoint(
    {
      id: 'role.replace',
      route: `PUT ${collection}/{id}`,
      access: 'roles.update',
      summary: 'Replace a role',
      params,
      body: { required: shapes.body },
      conditional: true,
      returns: [200, Role],
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { params: { id }, body, conditions }) => replaceRole(ctx, { id, conditions }, body),
  ),
  endpoint(
    {
      id: 'role.update',
      route: `PATCH ${collection}/{id}`,
      access: 'roles.update',
      summary: 'Change members of a role (JSON Merge Patch)',
      params,
      body: { required: shapes.patch },
      conditional: true,
      returns: [200, Role],
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { params: { id }, body, conditions }) => updateRole(ctx, { id, conditions }, body),
  ),
  endpoint(
    {
      id: 'role.delete',
      route: `DELETE ${collection}/{id}`,
      access: 'roles.delete',
      summary: 'Delete a role',
      params,
      conditional: true,
      returns: [204, null],
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, { params: { id }, conditions }) => deleteRole(ctx, { id, conditions }),
  ),
];
