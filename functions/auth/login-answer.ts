import { z } from 'zod';
import { Id } from '../../shared/http/fields.ts';
import type { LoginResult } from '../../shared/identity/login/admission.ts';
import { version } from '../../shared/kernel/version.ts';

/** What every way to log in answers when it has succeeded. */
export const LoginAnswer = z.strictObject({
  result: z.literal('ok'),
  token: z.string().meta({ description: 'For the header X-Auth-Token' }),
  version: z.string(),
  expires_in: z.int().meta({ description: 'Seconds' }),
  user: z.strictObject({
    id: Id,
    name: z.string(),
    real_name: z.string(),
    domain: z.string().meta({ description: 'Label of the domain' }),
    portal: z.enum(['admin', 'user']),
    roles: z.array(z.string()),
    must_change_password: z.boolean(),
  }),
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
