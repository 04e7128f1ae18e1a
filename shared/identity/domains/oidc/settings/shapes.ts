import { z } from 'zod';
import { Certificates } from '../../../../shapes/fields.ts';

/** RFC 6749, 3.3: visible characters without quotation marks and backslashes. */
const visible = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const Visible = z.string().regex(visible, 'Must contain only visible ASCII characters');
/** Names of claims. A dot separates the parts of a path into nested claims. */
const claimPattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;
const Claim = z.string().regex(claimPattern, 'Must be the name of a claim').meta({ maxLength: 128 });
const tenantPattern = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
const hostPattern = /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

const authentications = ['client_secret', 'private_key'] as const;
const responseModes = ['query', 'form_post'] as const;

const prompts = ['default', 'login', 'consent', 'select_account'] as const;

const list = (entry: z.ZodType<string>, most: number) => z.array(entry).max(most);

/** The registration at the provider and the connection to it. */
export const providerShapes = {
  issuer: z
    .string()
    .trim()
    .max(512)
    .regex(/^https:\/\/[^\s?#@\\]+$/i, 'The URL must begin with https://')
    .meta({ example: 'https://login.example.com/realms/staff' })
    .describe(
      'Issuer of the provider, without `/.well-known/openid-configuration`. Microsoft Entra ID: `https://login.microsoftonline.com/<tenant>/v2.0`, or `organizations` in place of the tenant.',
    ),
  client_id: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .regex(/^[\x20-\x7e]+$/, 'Must contain only visible ASCII characters')
    .meta({ example: 'aggregator' })
    .describe('Identifier of the portal at the provider.'),
  client_authentication: z
    .enum(authentications)
    .default('client_secret')
    .describe(
      '`client_secret`, or `private_key`: a key of the portal, whose public part the provider reads from `/api/auth/v7.0/oidc/{auth_uuid}/jwks`. Default `client_secret`.',
    ),
  client_secret: z
    .string()
    .min(1)
    .max(1024)
    .nullish()
    .transform((secret) => secret ?? null)
    .describe('Secret of the portal at the provider. Stored encrypted and never returned. Default: none.'),
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe(
      'PEM certificates that are trusted instead of the public certificate authorities. Null: public authorities.',
    ),
  timeout_s: z
    .int()
    .min(1)
    .max(30)
    .default(10)
    .describe('Time limit of all requests of one sign-in in seconds. Default 10.'),
};

/** What is read of a person. */
export const claimShapes = {
  scopes: list(Visible, 20)
    .refine((scopes) => scopes.includes('openid'), 'Must contain openid')
    .default(['openid', 'profile', 'email'])
    .describe('Requested scopes. `openid` is required. Default: `openid`, `profile`, `email`.'),
  subject_claim: Claim.default('sub').describe(
    'Claim that identifies a person and never changes. Use `oid` for Microsoft Entra ID with provisioning. Default `sub`.',
  ),
  login_name_claim: Claim.default('preferred_username').describe(
    'Claim with the login name. Default `preferred_username`.',
  ),
  groups_claim: z
    .string()
    .max(128)
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]*$/, 'Must be the name of a claim')
    .default('groups')
    .describe(
      'Claim with the identifiers of groups, or a path such as `realm_access.roles`. Empty: provisioned groups count, and no groups are read. Default `groups`.',
    ),
};

/** Who may sign in, and what counts as a second factor. */
export const signInShapes = {
  allowed_tenants: list(z.string().regex(tenantPattern, 'Must be a UUID'), 100)
    .transform((ids) => ids.map((id) => id.toLowerCase()))
    .default([])
    .describe(
      'Identifiers (`tid`) of the tenants of Microsoft Entra ID whose users may sign in. Required if the issuer is for several tenants. Default: every tenant of the issuer.',
    ),
  email_domains: list(z.string().regex(hostPattern, 'Must be a domain name'), 100)
    .transform((names) => names.map((name) => name.toLowerCase()))
    .default([])
    .describe('Domains of e-mail addresses for which the sign-in page selects this domain. Default: none.'),
  create_users: z
    .boolean()
    .default(true)
    .describe(
      'If true, the first sign-in adds the user. If false, only users that provisioning (SCIM) has added can sign in. Default true.',
    ),
  acr_values: list(Visible, 20)
    .default([])
    .describe(
      'Requested authentication contexts (`acr_values`). An ID token with one of them counts as signed in with a second factor. Default: none.',
    ),
  amr_values: list(Visible, 20)
    .default([])
    .describe(
      'Authentication methods (`amr`) of which one counts as a second factor, such as `mfa`. Default: none.',
    ),
  response_mode: z
    .enum(responseModes)
    .default('query')
    .describe('How the provider returns: `query`, or `form_post`: by a form. Default `query`.'),
  prompt: z
    .enum(prompts)
    .default('default')
    .describe(
      'What the provider asks at each sign-in: `default`, `login`: the credentials, `consent` or `select_account`. Default `default`.',
    ),
  provider_logout: z
    .boolean()
    .default(true)
    .describe('If true, a log-out in the browser also ends the session at the provider. Default true.'),
  recheck: z
    .boolean()
    .default(false)
    .describe(
      'If true, the portal requests `offline_access` and asks the provider every `oidc.recheck_s` seconds whether the session may continue, and which groups the user has. Default false.',
    ),
};
