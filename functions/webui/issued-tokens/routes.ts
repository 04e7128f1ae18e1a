import { z } from 'zod';
import { issuedTokens } from '../../../db/repositories/identity/access/issued-tokens.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { ServiceToken } from '../../../shared/identity/service-tokens.ts';
import { flagFilter, Instant, idOf } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { lowerBoundOf, timeRanges, upperBoundOf } from '../../../shared/shapes/ranges.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint } from '../deps.ts';

const IssuedToken = ServiceToken.extend({
  user_id: idOf('user').describe('Identifier of the user of the token.'),
  user: z.string().describe('Login name of the user of the token.'),
  authenticator_id: idOf('authenticator').describe('Identifier of the domain of the user.'),
  authenticator_name: z.string().describe('Name of the domain of the user.'),
});

const query = listQuery(['expires_at', 'created_at', 'name'], {
  authenticator: idOf('authenticator').optional().describe('Only tokens of users of this domain.'),
  user: idOf('user').optional().describe('Only tokens of this user.'),
  own: flagFilter.describe('Only tokens that users created for themselves, or that administrators created.'),
  expires_after: lowerBoundOf('expires_at').describe('Only tokens that expire at or after this time.'),
  expires_before: upperBoundOf('expires_at').describe('Only tokens that expire before this time.'),
  unused_since: Instant.optional().describe(
    'Only tokens that were not used since this time. An unused token counts from its creation.',
  ),
  ...timeRanges('created_at', 'last_seen_at'),
}).extend({
  search: z
    .string()
    .max(128)
    .optional()
    .describe('Part of the name of the token or of the user. Case is ignored.'),
});

const view = viewOf(IssuedToken);

export const issuedTokenOperations = [
  endpoint(
    {
      id: 'issuedToken.list',
      route: `GET ${base}/service-tokens`,
      access: 'users.read',
      summary: 'List the service tokens of all users',
      description:
        'By default, tokens that expire first are listed first. Expired tokens are listed until they are revoked. The value of a token is never returned.',
      query,
      returns: [200, listOf(IssuedToken)],
    },
    (ctx, input) => answerList(ctx, issuedTokens, input.query, view),
  ),
];
