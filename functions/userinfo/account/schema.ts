import { z } from 'zod';
import { patchBody } from '../../../shared/http/records/shapes.ts';
import { factorMethods } from '../../../shared/identity/second-factor/challenges.ts';
import { type Language, languages } from '../../../shared/messages/languages.ts';
import { Id, Moment } from '../../../shared/shapes/fields.ts';

const Named = z.strictObject({
  id: Id.describe('Identifier of the role or group.'),
  name: z.string().describe('Name of the role or group.'),
});

export const Userinfo = z.strictObject({
  id: Id.describe('Identifier of the user.'),
  name: z.string().describe('Login name of the user.'),
  real_name: z.string().describe('Full name of the user. Empty if unknown.'),
  email: z.string().describe('E-mail address of the user. Empty if unknown.'),
  domain: z
    .strictObject({
      uuid: Id.describe('Identifier of the domain.'),
      name: z.string().describe('Name of the domain.'),
      small_name: z.string().describe('Short label of the domain.'),
      flow: z
        .enum(['password', 'redirect'])
        .describe(
          '`password`: users log in with a password; `redirect`: they sign in at an identity provider.',
        ),
    })
    .describe('Domain of the user.'),
  portal: z.enum(['admin', 'user']).describe('Portal of the session: `admin` (administrators) or `user`.'),
  roles: z.array(Named).describe('Roles of the caller.'),
  permissions: z.array(z.string()).describe('Permissions that the caller has in this session.'),
  scope: z
    .strictObject({
      sites: z
        .union([z.literal('*'), z.array(Id)])
        .describe('`*`: all sites; otherwise the identifiers of the sites.'),
    })
    .describe('Sites in which the caller has at least one permission.'),
  groups: z.array(Named).describe('Groups of the user.'),
  sites: z
    .array(
      z.strictObject({
        id: Id.describe('Identifier of the site.'),
        uri: z.string().describe('Name of the site in URLs.'),
        name: z.string().describe('Name of the site.'),
      }),
    )
    .describe('Sites that the user may use.'),
  language: z
    .string()
    .nullable()
    .describe('Language chosen by the user. Null: the language of the request is used.'),
  must_change_password: z
    .boolean()
    .describe('True if the user must change the password before any other operation.'),
  has_password: z
    .boolean()
    .describe(
      'True if the portal stores the password of the user, who can change it with this API. False for users of directories.',
    ),
  two_factor: z
    .strictObject({
      enrolled: z.boolean().describe('True if the user has a second factor.'),
      methods: z
        .array(z.enum(factorMethods))
        .describe('Second factors of the user: `totp` (authenticator app), `passkey`.'),
      required: z
        .boolean()
        .describe(
          'True if the domain of the user requires a second factor, and no group of the user waives it.',
        ),
    })
    .describe('Second factor of the user.'),
  ip: z.string().describe('IP address of the caller, as seen by the portal.'),
  session: z
    .strictObject({
      created_at: Moment.describe('When the session or service token was created.'),
      expires_at: Moment.describe('Expiration time of the session or service token.'),
      idle_expires_at: Moment.describe('End of the session if no further request is sent.'),
    })
    .describe('Times of the session.'),
  last_login_at: Moment.nullable().describe('Last login of the user. Null before the first.'),
});

const OwnLanguage = z.object({
  language: z
    .enum(languages)
    .optional()
    .describe('Language of texts for the user: `en` or `ru`. Null selects the default language.'),
});

/** Only the language can be changed; other fields of the GET response are ignored. */
export const OwnChange = patchBody(
  OwnLanguage,
  Object.keys(Userinfo.shape).filter((name) => name !== 'language'),
) as z.ZodType<{ language?: Language | null }>;

export const PasswordChange = z.strictObject({
  current: z.string().min(1).max(1024).describe('Current password of the user.'),
  new: z
    .string()
    .min(1)
    .max(1024)
    .meta({ example: 'another pass phrase of yours' })
    .describe('New password. It must satisfy the password policy and differ from the previous passwords.'),
  keeps_service_tokens: z
    .boolean()
    .optional()
    .describe('If true, the own service tokens of the user stay, which is audited. Default: they end.'),
});
