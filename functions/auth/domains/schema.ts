import { z } from 'zod';
import { typeNames } from '../../../shared/identity/domains/descriptions.ts';
import { Id } from '../../../shared/shapes/fields.ts';

/** The specification defines the field names. */
export const Domain = z.strictObject({
  authUuid: Id.describe('Identifier of the domain: `authId` of a login.'),
  auth: z.string().describe('Name of the domain: `auth` of a login.'),
  authSmallName: z.string().describe('Short label of the domain: `authSmallName` of a login.'),
  type: z.string().describe(`Type of the domain: ${typeNames}.`),
  flow: z
    .enum(['password', 'redirect'])
    .describe(
      '`password`: users log in with a password; `redirect`: they sign in at an identity provider, and a browser opens `oidc/{auth_uuid}/start`.',
    ),
  priority: z.int().describe('Position in the list. Lower numbers come first. Set by an administrator.'),
  isCustom: z.boolean().describe('Always false: the portal has no custom domain types.'),
  isTwoFactor: z.boolean().describe('True if logins need a second factor.'),
  isPkinit: z.boolean().describe('True if logins with a certificate (Kerberos PKINIT) are possible.'),
});
