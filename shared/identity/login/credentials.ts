import { z } from 'zod';

/** Members of a login that do not depend on its credentials. */
export const loginOptions = {
  portal: z
    .enum(['admin', 'user'])
    .optional()
    .describe(
      'Portal of the session: `admin` (administrators) or `user`. Without access to it, the login is rejected with 403. Default: `admin` for a user with a role, otherwise `user`.',
    ),
  platform: z
    .string()
    .max(128)
    .optional()
    .describe('Platform of the client, for the session list and the audit log. Default: not known.'),
  locale: z
    .string()
    .max(35)
    .optional()
    .describe(
      'Language of texts in the session, such as `en` or `ru-RU`. Default: the language of the user, otherwise `Accept-Language`.',
    ),
};

/** Members of a login with a password. */
export const loginCredentials = {
  username: z
    .string()
    .min(1)
    .max(256)
    .meta({ example: 'admin' })
    .describe('Login name: a plain name, or with a domain as `DOMAIN\\name` or `name@suffix`.'),
  password: z
    .string()
    .min(1)
    .max(1024)
    .meta({ example: 'a long pass phrase of yours' })
    .describe('Password of the user.'),
  authId: z.string().max(64).optional().describe('Identifier of the domain: `authUuid` of the domain list.'),
  auth: z.string().max(256).optional().describe('Name of the domain.'),
  authSmallName: z
    .string()
    .max(64)
    .optional()
    .meta({ example: 'builtin' })
    .describe('Short label of the domain.'),
  ...loginOptions,
};

export const namesDomain = (body: { authId?: unknown; auth?: unknown; authSmallName?: unknown }): boolean =>
  body.authId !== undefined || body.auth !== undefined || body.authSmallName !== undefined;
export const domainRule = {
  message: 'One of authId, auth, authSmallName is required',
  params: { code: 'required' },
};
