import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';
import { BulkDestroyBody, BulkDestroyResult } from '../../../shared/http/write-shapes.ts';
import { base, endpoint } from '../deps.ts';
import { authenticatorCrud } from './record.ts';
import { Authenticator } from './schema.ts';
import {
  createAuthenticator,
  deleteAuthenticator,
  deleteAuthenticators,
  replaceAuthenticator,
  updateAuthenticator,
} from './usecases.ts';

const { operations, shapes } = authenticatorCrud;
const collection = `${base}/authenticators` as const;
const params = z.object({ uuid: Id });

export const authenticatorOperations = [
  ...operations,
  endpoint(
    {
      id: 'authenticator.create',
      route: `POST ${collection}`,
      access: 'authenticators.create',
      summary: 'Create an authentication domain',
      body: { required: shapes.body },
      returns: [201, Authenticator],
      errors: ['already_exists'],
    },
    (ctx, { body }) => createAuthenticator(ctx, body),
  ),
  endpoint(
    {
      id: 'authenticator.replace',
      route: `PUT ${collection}/{uuid}`,
      access: 'authenticators.update',
      summary: 'Replace an authentication domain',
      params,
      body: { required: shapes.body },
      conditional: true,
      returns: [200, Authenticator],
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { params: { uuid }, body, conditions }) =>
      replaceAuthenticator(ctx, { id: uuid, conditions }, body),
  ),
  endpoint(
    {
      id: 'authenticator.update',
      route: `PATCH ${collection}/{uuid}`,
      access: 'authenticators.update',
      summary: 'Change members of an authentication domain (JSON Merge Patch)',
      params,
      body: { required: shapes.patch },
      conditional: true,
      returns: [200, Authenticator],
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, { params: { uuid }, body, conditions }) => updateAuthenticator(ctx, { id: uuid, conditions }, body),
  ),
  endpoint(
    {
      id: 'authenticator.delete',
      route: `DELETE ${collection}/{uuid}`,
      access: 'authenticators.delete',
      summary: 'Delete an authentication domain with its users and groups',
      params,
      conditional: true,
      returns: [204, null],
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, { params: { uuid }, conditions }) => deleteAuthenticator(ctx, { id: uuid, conditions }),
  ),
  endpoint(
    {
      id: 'authenticator.bulkDestroy',
      route: `POST ${collection}/bulk_destroy`,
      access: 'authenticators.delete',
      summary: 'Delete several or all authentication domains',
      body: { required: BulkDestroyBody },
      returns: [200, BulkDestroyResult],
    },
    (ctx, { body }) => deleteAuthenticators(ctx, body),
  ),
];
