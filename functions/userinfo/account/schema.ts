import { z } from 'zod';
import { Id, Moment } from '../../../shared/http/fields.ts';
import { patchBody } from '../../../shared/http/write-shapes.ts';
import { type Language, languages } from '../../../shared/messages/languages.ts';

const Named = z.strictObject({ id: Id, name: z.string() });

export const Userinfo = z.strictObject({
  id: Id,
  name: z.string(),
  real_name: z.string(),
  email: z.string(),
  domain: z.strictObject({ uuid: Id, name: z.string(), small_name: z.string() }),
  portal: z.enum(['admin', 'user']),
  roles: z.array(Named),
  permissions: z.array(z.string()),
  scope: z.strictObject({ sites: z.union([z.literal('*'), z.array(Id)]) }),
  groups: z.array(Named),
  sites: z.array(z.strictObject({ id: Id, uri: z.string(), name: z.string() })),
  language: z.string().nullable(),
  must_change_password: z.boolean(),
  ip: z.string(),
  session: z.strictObject({ created_at: Moment, expires_at: Moment, idle_expires_at: Moment }),
  last_login_at: Moment.nullable(),
});

const OwnLanguage = z.object({ language: z.enum(languages).optional() });

/** Of what `GET` gives one may set the language; the rest is ignored. */
export const OwnChange = patchBody(
  OwnLanguage,
  Object.keys(Userinfo.shape).filter((name) => name !== 'language'),
) as z.ZodType<{ language?: Language | null }>;

export const PasswordChange = z.strictObject({
  current: z.string().min(1).max(1024),
  new: z.string().min(1).max(1024).meta({ example: 'another pass phrase of yours' }),
});
