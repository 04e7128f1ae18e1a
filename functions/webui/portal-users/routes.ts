import { z } from 'zod';
import { portalUsers } from '../../../db/repositories/identity/access/portal-users.ts';
import { listShowing } from '../../../db/repositories/records/list-columns.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { CreatedAt, flagFilter, Id, IdsFilter, idOf, idsOf, Moment } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { timeRanges } from '../../../shared/shapes/ranges.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint } from '../deps.ts';

const State = z.enum(['active', 'inactive']);
const Kind = z.enum(['person', 'service']);

const PortalUser = z.strictObject({
  id: Id.describe('Identifier of the user.'),
  name: z.string().describe('Login name of the user, unique in the domain.'),
  real_name: z.string().describe('Full name of the user. Empty if it is not set.'),
  email: z.string().describe('E-mail address of the user. Empty if it is not set.'),
  authenticator_id: idOf('authenticator').describe('Identifier of the domain of the user.'),
  authenticator_name: z.string().describe('Name of the domain of the user.'),
  state: State.describe('`active`, or `inactive`: the user cannot log in.'),
  kind: Kind.describe('`person`: logs in with a password; `service`: uses service tokens.'),
  roles: idsOf('role').describe('Identifiers of the roles of the user.'),
  two_factor_enrolled: z.boolean().describe('True if the user has enrolled a second factor.'),
  locked_until: Moment.nullable().describe(
    'Time until which the account is locked. Null if it is not locked.',
  ),
  last_login_at: Moment.nullable().describe('Last login of the user. Null before the first.'),
  created_at: CreatedAt,
});

const query = listQuery(['name', 'created_at'], {
  ids: IdsFilter,
  authenticator: idOf('authenticator').optional().describe('Only users of this domain.'),
  state: State.optional().describe('Only users in this state.'),
  kind: Kind.optional().describe('Only users of this kind.'),
  role: idOf('role').optional().describe('Only users with the role of this identifier.'),
  has_role: flagFilter.describe('Only users with or without roles.'),
  two_factor: flagFilter.describe('Only users with or without an enrolled second factor.'),
  locked: flagFilter.describe('Only users whose account is locked, or is not locked.'),
  ...timeRanges('last_login_at', 'created_at'),
}).extend({
  search: z
    .string()
    .max(128)
    .optional()
    .describe('Part of the login name, the full name or the e-mail address. Case is ignored.'),
});

const view = viewOf(PortalUser);
const listed = listShowing(portalUsers, view.columns);

export const portalUserOperations = [
  endpoint(
    {
      id: 'portalUser.list',
      route: `GET ${base}/users`,
      access: 'users.read',
      summary: 'List the users of all domains',
      mayLag: true,
      query,
      returns: [200, listOf(PortalUser)],
    },
    (ctx, input) => answerList(ctx, listed, input.query, view),
  ),
];
