import { z } from 'zod';
import { tokensIn } from '../../../db/repositories/identity/service-tokens.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import {
  NewServiceToken,
  ServiceToken,
  ServiceTokensQuery,
  ServiceTokenWrite,
} from '../../../shared/identity/service-tokens.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint } from '../deps.ts';
import { createToken, revokeToken } from './usecases.ts';

const path = `${base}/authenticators/{auth_uuid}/users/{uuid}/tokens` as const;
const params = z.object({
  auth_uuid: Id.describe('Identifier of the authentication domain.'),
  uuid: Id.describe('Identifier of the user.'),
});
const view = viewOf(ServiceToken);

export const serviceTokenOperations = [
  endpoint(
    {
      id: 'serviceToken.list',
      route: `GET ${path}`,
      access: 'users.read',
      summary: 'List the service tokens of a user',
      description:
        'Includes tokens that a person created for the own account. Expired tokens are listed until they are revoked.',
      params,
      query: ServiceTokensQuery,
      returns: [200, listOf(ServiceToken)],
    },
    (ctx, { params: { auth_uuid, uuid }, query }) => answerList(ctx, tokensIn(auth_uuid), query, view, uuid),
  ),
  endpoint(
    {
      id: 'serviceToken.create',
      route: `POST ${path}`,
      access: 'users.update',
      summary: 'Create a service token',
      description:
        'A program sends the token instead of a session token of the user. The user must be of the kind `service`.',
      params,
      body: { required: ServiceTokenWrite },
      returns: [201, NewServiceToken],
      errors: ['already_exists', 'invalid_state'],
      shownOnce: ['token'],
    },
    (ctx, { params: { auth_uuid, uuid }, body }) =>
      createToken(ctx, { domainId: auth_uuid, userId: uuid }, body),
  ),
  endpoint(
    {
      id: 'serviceToken.revoke',
      route: `DELETE ${path}/{id}`,
      access: 'users.update',
      summary: 'Revoke a service token',
      params: params.extend({ id: Id.describe('Identifier of the token.') }),
      returns: [204, null],
    },
    (ctx, { params: { auth_uuid, uuid, id } }) => revokeToken(ctx, { domainId: auth_uuid, userId: uuid }, id),
  ),
];
