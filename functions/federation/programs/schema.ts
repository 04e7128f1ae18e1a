import { z } from 'zod';
import { LoginAnswer } from '../../../shared/identity/login/answers.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { client_id, client_name, portal } from '../program-query.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const text = (description: string, max = 512) => z.string().max(max).optional().describe(description);

/** RFC 8628, 3.1. Clients may send members of their own, which are ignored. */
export const DeviceBody = z.object({
  client_id,
  client_name,
  portal,
  scope: text('Ignored: the session has the rights of the user.', 256),
});

/** RFC 8628, 3.2. */
export const DeviceAnswer = z.strictObject({
  device_code: z.string().describe('Secret of the device for the token request.'),
  user_code: z.string().meta({ example: 'WDJB-MJHT' }).describe('Code that the device shows to the person.'),
  verification_uri: z.string().describe('Address of the page where the person enters the code.'),
  verification_uri_complete: z.string().describe('The same address with the code, for a QR code.'),
  expires_in: z.literal(600).describe('Seconds until both codes expire.'),
  interval: z.literal(5).describe('Seconds between two token requests of the device.'),
});

/** RFC 6749, 4.1.3, and RFC 8628, 3.4. Clients may send members of their own, which are ignored. */
export const TokenBody = z.object({
  grant_type: text(
    `\`authorization_code\`, or \`${deviceGrant}\` for a device. Default: \`authorization_code\`.`,
    64,
  ),
  code: text('Authorization code. Required for `authorization_code`.'),
  code_verifier: text(
    'Code verifier of 43 to 128 characters (RFC 7636). Required for `authorization_code`.',
    128,
  ),
  redirect_uri: text('The `redirect_uri` of the authorization request. Default: not compared.', 256),
  device_code: text('Secret of the device. Required for a device.'),
  client_id,
});

/** The members of a login, and those of a token response (RFC 6749, 5.1). */
export const TokenAnswer = LoginAnswer.extend({
  access_token: z.string().describe('Session token for the header `X-Auth-Token`, as `token`.'),
  token_type: z.literal('Bearer').describe('Always `Bearer`: the caller needs only the token.'),
});

const tokenErrors = [
  'invalid_request',
  'invalid_grant',
  'unsupported_grant_type',
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
] as const;

/** RFC 6749, 5.2, and RFC 8628, 3.5. */
export const TokenRefusal = z.strictObject({
  error: z
    .enum(tokenErrors)
    .describe(
      'Code of the error (RFC 6749, 5.2): `invalid_request`, `invalid_grant`, `unsupported_grant_type`. For a device also (RFC 8628, 3.5) `authorization_pending`, `slow_down`, `access_denied`, `expired_token`.',
    ),
  error_description: z.string().describe('Explanation of the error.'),
});

export const ConsentBody = z.strictObject({
  decision: z.enum(['allow', 'deny']).describe('Decision of the person: `allow` or `deny`.'),
  account: Id.describe('Identifier of the user that the page has shown.'),
});

export const DeviceQuery = z.strictObject({
  user_code: z
    .string()
    .max(32)
    .optional()
    .describe('Code of the device, which the page shows in its field. Default: none.'),
});

export const UserCodeBody = z.strictObject({
  user_code: z.string().max(32).describe('Code that the device shows. Case and hyphens are ignored.'),
});

const address = (description: string) => z.string().describe(description);
const list = (description: string) => z.array(z.string()).describe(description);

/** RFC 8414, section 2. */
export const Metadata = z.strictObject({
  issuer: address('Issuer in the answers to programs.'),
  authorization_endpoint: address('Address that the program opens in the browser.'),
  token_endpoint: address('Address of the token requests.'),
  device_authorization_endpoint: address('Address at which a device asks for its codes.'),
  response_types_supported: list('Always `code`.'),
  response_modes_supported: list('Always `query`.'),
  grant_types_supported: list('Grant types of the token requests.'),
  code_challenge_methods_supported: list('Always `S256`.'),
  token_endpoint_auth_methods_supported: list('Always `none`: programs have no secret.'),
  authorization_response_iss_parameter_supported: z
    .literal(true)
    .describe('Answers contain `iss` (RFC 9207).'),
});
