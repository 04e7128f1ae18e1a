import { z } from 'zod';
import { tokensIn } from '../../../db/repositories/identity/service-tokens.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import {
  NewServiceToken,
  ServiceToken,
  ServiceTokensQuery,
} from '../../../shared/identity/service-tokens.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint } from '../deps.ts';
import { createOwnToken, OwnTokenWrite, revokeOwnToken } from './usecases.ts';

const path = `${base}/service_tokens` as const;
const view = viewOf(ServiceToken);

const proofErrors = [
  ...(['invalid_credentials', 'locked_out', 'no_registered_group', 'password_expired'] as const),
  ...(['two_factor_required', 'upstream_failed', 'upstream_refused', 'upstream_tls'] as const),
  'upstream_timeout',
] as const;

export const ownTokenOperations = [
  endpoint(
    {
      id: 'userinfo.listServiceTokens',
      route: `GET ${path}`,
      access: 'signed-in',
      needsLogin: true,
      summary: "List the caller's service tokens",
      description: 'Expired tokens are listed until they are revoked.',
      query: ServiceTokensQuery,
      returns: [200, listOf(ServiceToken)],
      errors: ['invalid_state'],
    },
    (ctx, { query }) => {
      const { user, domain } = ctx.principal;
      return answerList(ctx, tokensIn(domain.id), query, view, user.id);
    },
  ),
  endpoint(
    {
      id: 'userinfo.createServiceToken',
      route: `POST ${path}`,
      access: 'signed-in',
      needsLogin: true,
      summary: 'Create a service token for the caller',
      description:
        'A program sends the token instead of a session token of the caller, who proves the identity again. Requires the system parameter `service_tokens.own`. The token has at most the current permissions of the caller, and ends when the account or its domain is disabled. At most 50 tokens for each user.',
      body: { required: OwnTokenWrite },
      returns: [201, NewServiceToken],
      errors: ['already_exists', 'forbidden', 'invalid_state', ...proofErrors],
      shownOnce: ['token'],
    },
    (ctx, { body }) => createOwnToken(ctx, body),
  ),
  endpoint(
    {
      id: 'userinfo.revokeServiceToken',
      route: `DELETE ${path}/{id}`,
      access: 'signed-in',
      needsLogin: true,
      summary: "Revoke one of the caller's service tokens",
      params: z.object({ id: Id.describe('Identifier of the token.') }),
      returns: [204, null],
      errors: ['invalid_state'],
    },
    (ctx, { params: { id } }) => revokeOwnToken(ctx, id),
  ),
];
