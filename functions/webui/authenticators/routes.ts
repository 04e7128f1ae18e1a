import { endpoint } from '../deps.ts';
import { authenticatorCrud } from './record.ts';
import {
  createAuthenticator,
  deleteAuthenticator,
  deleteAuthenticators,
  replaceAuthenticator,
  updateAuthenticator,
} from './usecases.ts';

const { operations, declared, target } = authenticatorCrud;
const changeErrors = ['already_exists', 'invalid_state'] as const;

export const authenticatorOperations = [
  ...operations,
  endpoint(declared.create, (ctx, { body }) => createAuthenticator(ctx, body)),
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceAuthenticator(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, errors: changeErrors }, (ctx, input) =>
    updateAuthenticator(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.delete,
      summary: 'Delete an authentication domain with its users and groups',
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, input) => deleteAuthenticator(ctx, target(input)),
  ),
  endpoint(declared.bulkDestroy, (ctx, { body }) => deleteAuthenticators(ctx, body)),
];
