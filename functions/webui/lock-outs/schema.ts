import { z } from 'zod';
import { Id, idOf, Moment } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';

const Reach = z.enum(['account_from_network', 'account', 'network', 'all']);

export const LockOut = z.strictObject({
  id: Id.describe('Identifier of the lock-out.'),
  reach: Reach.describe(
    'Refused logins: `account_from_network`: of this account from this network; `account`: of this account from all networks without a recent login; `network`: of all accounts from this network; `all`: all logins from networks without a recent login.',
  ),
  user: z
    .string()
    .nullable()
    .describe(
      'Login name of the account, also of an unknown one. Null if the lock-out is not of an account.',
    ),
  user_id: idOf('user').nullable().describe('Identifier of the user. Null if no user has this name.'),
  authenticator_id: idOf('authenticator')
    .nullable()
    .describe('Identifier of the domain. Null if the lock-out is not of an account.'),
  authenticator_name: z
    .string()
    .nullable()
    .describe('Name of the domain. Null if the lock-out is not of an account.'),
  network: z
    .string()
    .nullable()
    .describe('IPv4 address or IPv6 network (/64) of the failed logins. Null for all networks.'),
  locked_until: Moment.describe('Time at which the lock-out ends.'),
  last_failure_at: Moment.nullable().describe('Time of the last failed login that was counted.'),
});

export const LockOutQuery = listQuery(
  ['locked_until'],
  {
    authenticator: idOf('authenticator').optional().describe('Only lock-outs of accounts of this domain.'),
    reach: Reach.optional().describe('Only lock-outs of this kind.'),
  },
  '-locked_until',
)
  .omit({ count: true })
  .extend({
    search: z
      .string()
      .max(128)
      .optional()
      .describe('Part of the login name or of the network. Case is ignored.'),
  });
