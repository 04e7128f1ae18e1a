import { z } from 'zod';
import { checkAddress } from '../../shared/kernel/addresses/check.ts';

/** RFC 8252, 7.3 and 8.3: the loopback addresses themselves, because another resolver can change a name. */
function isLoopback(address: string): boolean {
  const isLiteral = /^\w+:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/[\x21-\x7e]*)?$/.test(address);
  return isLiteral && checkAddress(address, 'program').ok;
}

/** The name of a program, which anyone can choose. Invisible characters could make it look like another one. */
export const client_name = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u, 'Must not contain invisible characters')
  .optional()
  .meta({ example: 'Console client' })
  .describe('Name of the program, which the person sees. Default: `client_id`.');

export const client_id = z
  .string()
  .trim()
  .max(64)
  .regex(/^[\x20-\x7e]*$/, 'Must consist of printable ASCII characters')
  .optional()
  .meta({ example: 'console' })
  .describe(
    'Identifier of the program. Programs are not registered, so it is shown and not checked. Default: none.',
  );

export const portal = z
  .enum(['admin', 'user'])
  .optional()
  .describe(
    'Portal of the session: `admin` (administrators) or `user`. Default: `admin` for a user with a role, otherwise `user`.',
  );

/** Parameters of an authorization request (RFC 6749, 4.1.1, and RFC 7636, 4.3). */
export const programMembers = {
  redirect_uri: z
    .string()
    .max(256)
    .refine(isLoopback, 'Must be http://127.0.0.1 or http://[::1], with any port and path')
    .optional()
    .meta({ example: 'http://127.0.0.1:51004/callback' })
    .describe(
      'Address at which a program on the computer of the browser listens: `http://127.0.0.1` or `http://[::1]` with any port and path. The browser is sent there with `code`, `state` and `iss`. Default: the sign-in is one of the browser.',
    ),
  code_challenge: z
    .string()
    .max(43)
    .regex(/^[\w-]{43}$/, 'Must be a SHA-256 in base64url')
    .optional()
    .describe('SHA-256 of the code verifier in base64url (RFC 7636). Required with `redirect_uri`.'),
  code_challenge_method: z
    .literal('S256')
    .optional()
    .describe('Method of the challenge: `S256`. Required with `redirect_uri`.'),
  state: z.string().max(256).optional().describe('Value that the program receives back. Default: none.'),
  response_type: z.literal('code').optional().describe('Always `code`. Default: `code`.'),
  scope: z.string().max(256).optional().describe('Ignored: the session has the rights of the user.'),
  client_id,
  client_name,
};

export const ProgramQuery = z.strictObject({ ...programMembers, portal });
