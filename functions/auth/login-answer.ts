import { z } from 'zod';
import type { LoginResult } from '../../shared/identity/login/admission.ts';
import { version } from '../../shared/kernel/version.ts';
import { Id } from '../../shared/shapes/fields.ts';

/** The response of every successful login. */
export const LoginAnswer = z.strictObject({
  result: z.literal('ok').describe('Always `ok`.'),
  token: z.string().describe('Session token for the header `X-Auth-Token`.'),
  version: z.string().describe('Version of the portal.'),
  expires_in: z.int().describe('Maximum remaining duration of the session in seconds.'),
  user: z
    .strictObject({
      id: Id.describe('Identifier of the user.'),
      name: z.string().describe('Login name of the user.'),
      real_name: z.string().describe('Full name of the user. Empty if unknown.'),
      domain: z.string().describe('Short label of the domain of the user.'),
      portal: z
        .enum(['admin', 'user'])
        .describe('Portal of the session: `admin` (administrators) or `user`.'),
      roles: z.array(z.string()).describe('Names of the roles of the user.'),
      must_change_password: z
        .boolean()
        .describe('True if the user must change the password before any other operation.'),
    })
    .describe('The user that logged in.'),
});

export const loginAnswer = ({
  token,
  expiresInS,
  portal,
  user,
  domain,
  roles,
}: LoginResult): z.input<typeof LoginAnswer> => ({
  result: 'ok',
  token,
  version,
  expires_in: expiresInS,
  user: {
    id: user.id,
    name: user.name,
    real_name: user.real_name,
    domain: domain.small_name,
    portal,
    roles: roles.map(({ name }) => name),
    must_change_password: user.must_change_password,
  },
});
