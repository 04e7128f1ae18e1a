import { z } from 'zod';
import { inItsLanguage } from '../../../shared/http/problem.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { base, endpoint } from '../deps.ts';
import { listPermissions } from './permissions.ts';
import { roleCrud } from './record.ts';
import { PermissionEntry } from './schema.ts';
import { createRole, deleteRole, replaceRole, updateRole } from './usecases.ts';

const { operations, declared, target } = roleCrud;
const changeErrors = ['already_exists', 'invalid_state'] as const;

export const roleOperations = [
  ...operations,
  endpoint(
    {
      id: 'role.listPermissions',
      route: `GET ${base}/rbac/permissions`,
      access: 'roles.read',
      summary: 'List the available permissions',
      returns: [200, z.array(PermissionEntry)],
    },
    ({ language }) => new Answer(listPermissions(language), { headers: inItsLanguage(language) }),
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
