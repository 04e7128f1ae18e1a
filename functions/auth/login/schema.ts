import { z } from 'zod';

const credentials = {
  username: z.string().min(1).max(256).meta({ example: 'admin' }),
  password: z.string().min(1).max(1024).meta({ example: 'a long pass phrase of yours' }),
  authId: z.string().max(64).optional().meta({ description: '`authUuid` of the domain list' }),
  auth: z.string().max(256).optional().meta({ description: 'Name of the domain' }),
  authSmallName: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Label of the domain', example: 'builtin' }),
  portal: z.enum(['admin', 'user']).optional().meta({ description: 'This portal, or none' }),
  platform: z.string().max(128).optional(),
  locale: z.string().max(35).optional(),
};

const namesDomain = (body: { authId?: unknown; auth?: unknown; authSmallName?: unknown }): boolean =>
  body.authId !== undefined || body.auth !== undefined || body.authSmallName !== undefined;
const rule = { message: 'One of authId, auth, authSmallName must be given', params: { code: 'required' } };

export const LoginBody = z.strictObject(credentials).refine(namesDomain, rule);
export const TwoFactorLoginBody = z
  .strictObject({
    ...credentials,
    code: z.string().max(64).optional(),
    challenge_id: z.string().max(256).optional(),
  })
  .refine(namesDomain, rule);

export const Done = z.strictObject({ result: z.literal('ok') });
