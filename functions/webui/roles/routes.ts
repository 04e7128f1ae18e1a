import { z } from 'zod';
import { actionOf, permissions, resourceOf } from '../../../shared/access/permissions.ts';
import { base, endpoint } from '../deps.ts';
import { roleCrud } from './record.ts';
import { PermissionEntry } from './schema.ts';
import { createRole, deleteRole, replaceRole, updateRole } from './usecases.ts';

const { operations, declared, target } = roleCrud;
const changeErrors = ['already_exists', 'invalid_state'] as const;
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
      route: `GET ${base}/rbac/permissions`,
      access: 'roles.read',
      summary: 'List available user permissions',
      returns: [200, z.array(PermissionEntry)],
    },
    () => catalogue,
  ),
  endpoint(declared.create, (ctx, { body }) => createRole(ctx, body)),
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceRole(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, errors: changeErrors }, (ctx, input) =>
    updateRole(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.delete, errors: ['in_use', 'invalid_state'] }, (ctx, input) =>
    deleteRole(ctx, target(input)),
  ),
];
