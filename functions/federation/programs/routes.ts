import { z } from 'zod';
import { oidcBase } from '../../../shared/identity/domains/oidc/addresses.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { endpoint } from '../deps.ts';
import { decide, showConsent } from './consent.ts';
import { authorizeDevice, enterUserCode } from './device.ts';
import { devicePage } from './device-page.ts';
import { metadataOf } from './issuer.ts';
import {
  ConsentBody,
  DeviceAnswer,
  DeviceBody,
  DeviceQuery,
  Metadata,
  TokenAnswer,
  TokenBody,
  TokenRefusal,
  UserCodeBody,
} from './schema.ts';
import { exchangeToken } from './token.ts';

const domain = z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') });
const request = z.object({ request_id: Id.describe('Identifier of the request of the program.') });

const page = { browser: 'any', returns: [200, null], alsoReturns: ['text/html'] } as const;

export const programOperations = [
  endpoint(
    {
      id: 'program.authorizeDevice',
      route: `POST ${oidcBase}/{auth_uuid}/device`,
      access: 'public',
      summary: 'Start the sign-in of a device',
      description:
        'Device authorization request (RFC 8628, 3.1). The device shows the user code, and asks for the token until the person has decided.',
      params: domain,
      body: { optional: DeviceBody },
      form: 'or JSON',
      returns: [200, DeviceAnswer],
      errors: ['upstream_failed'],
    },
    (ctx, { params: { auth_uuid }, body }) => authorizeDevice(ctx, auth_uuid, body ?? {}),
  ),
  endpoint(
    {
      id: 'program.exchange',
      route: `POST ${oidcBase}/token`,
      access: 'public',
      summary: 'Exchange the code of a program for a session',
      description:
        'Token request (RFC 6749, 4.1.3, and RFC 8628, 3.4). A code counts once, and a second use of an authorization code ends the session that it has opened. The token is sent in the header `X-Auth-Token`.',
      body: { required: TokenBody },
      form: 'or JSON',
      returns: [200, TokenAnswer],
      orReturns: [400, TokenRefusal],
      errors: ['locked_out'],
    },
    (ctx, { body }) => exchangeToken(ctx, body),
  ),
  endpoint(
    {
      ...page,
      id: 'program.showConsent',
      route: 'GET /consent/{request_id}',
      access: 'signed-in',
      needsLogin: true,
      summary: 'Open the page on which a person allows a program',
      description: 'Only the browser that started the sign-in can open the page, within 10 minutes.',
      params: request,
      errors: ['login_expired'],
    },
    (ctx, { params: { request_id } }) => showConsent(ctx, request_id),
  ),
  endpoint(
    {
      ...page,
      id: 'program.decide',
      route: 'POST /consent/{request_id}',
      access: 'signed-in',
      needsLogin: true,
      startsAt: '/signin',
      summary: 'Allow or deny a program the sign-in',
      description:
        'For the form of the page. The browser is redirected to the program, or a page explains what happens on the device.',
      params: request,
      body: { required: ConsentBody },
      form: true,
      orReturns: [303, null],
      errors: ['login_expired', 'invalid_state'],
    },
    (ctx, { params: { request_id }, body }) => decide(ctx, request_id, body),
  ),
  endpoint(
    {
      ...page,
      id: 'program.showDevice',
      route: 'GET /device',
      access: 'public',
      summary: 'Open the page on which a person enters the code of a device',
      query: DeviceQuery,
    },
    (ctx, { query: { user_code } }) => devicePage(ctx, { userCode: user_code }),
  ),
  endpoint(
    {
      ...page,
      id: 'program.enterUserCode',
      route: 'POST /device',
      access: 'public',
      summary: 'Start the sign-in for the device that shows a code',
      description:
        'For the form of the page. After 5 wrong codes, the browser is locked for a while. Wrong codes also count as failed logins of the address.',
      body: { required: UserCodeBody },
      form: true,
      errors: ['forbidden', 'locked_out'],
    },
    (ctx, { body: { user_code } }) => enterUserCode(ctx, user_code),
  ),
  endpoint(
    {
      id: 'program.getMetadata',
      route: `GET /.well-known/oauth-authorization-server${oidcBase}/{auth_uuid}`,
      access: 'public',
      summary: 'Get the addresses for programs that sign people in',
      description: 'Authorization server metadata (RFC 8414).',
      params: domain,
      returns: [200, Metadata],
    },
    (ctx, { params: { auth_uuid } }) => metadataOf(ctx, auth_uuid),
  ),
];
