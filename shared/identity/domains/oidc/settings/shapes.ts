import { z } from 'zod';
import { pathOf } from '../../../../remotes/oidc/login/claims.ts';
import { Address, Host } from '../../../../shapes/addresses.ts';
import { Certificates } from '../../../../shapes/fields.ts';
import { pairOf } from './pairs.ts';

/** RFC 6749, 3.3: visible characters without quotation marks and backslashes. */
const visible = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const Visible = z.string().regex(visible, 'Must contain only visible ASCII characters');
/** A claim, or the path to a nested one: see `pathOf`. */
const Claim = z
  .string()
  .max(256)
  .refine((text) => pathOf(text) !== undefined, 'Must be the name of a claim');
/** `claim=value`. */
const Condition = z
  .string()
  .max(512)
  .refine((text) => {
    const [claim, value] = pairOf(text);
    return value.trim() !== '' && text.includes('=') && pathOf(claim) !== undefined;
  }, 'Must be a claim and its value, such as hd=example.com');
/** `name=value` of a parameter of the authorization request. */
const parameterPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,63}=[\x20-\x7e]{1,2000}$/;
/** Parameters that the portal sets, or for which there are settings. */
const ownParameters: readonly string[] = [
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'prompt'],
  ...['code_challenge', 'code_challenge_method', 'acr_values', 'login_hint', 'max_age', 'id_token_hint'],
  ...['request', 'request_uri', 'client_secret', 'client_assertion', 'client_assertion_type', 'code'],
];
const Parameter = z
  .string()
  .regex(parameterPattern, 'Must be a name and a value, such as domain_hint=example.com')
  .refine((text) => !ownParameters.includes(pairOf(text)[0].toLowerCase()), 'The portal sets this parameter');
const tenantPattern = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
/** The part of e-mail addresses after the sign, in the spelling of hosts. */
const EmailDomain = Host.refine((host) => /\.[^.]*[a-z][^.]*$/.test(host), 'Must be a domain name');

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
    .pipe(Address('provider'))
    .meta({ example: 'https://login.example.com/realms/staff', pattern: '^https://[^\\s?#@\\\\]+$' })
    .describe(
      'Issuer of the provider, without `/.well-known/openid-configuration`. Microsoft Entra ID: `https://login.microsoftonline.com/<tenant>/v2.0`, or `organizations` in place of the tenant.',
    ),
  discovery_url: Address('discovery', { isOptional: true })
    .transform((url) => (url === '' ? null : url))
    .nullable()
    .default(null)
    .meta({ example: 'https://login.example.com/tenant/.well-known/openid-configuration?p=b2c_1_signin' })
    .describe(
      'Address of the configuration of the provider, if it is not `/.well-known/openid-configuration` below the issuer, as with Azure AD B2C. Default: none.',
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
  confirms_subject_claim: z
    .boolean()
    .default(false)
    .describe(
      'Required for another `subject_claim` than `sub` and `oid`: the administrator knows that the claim never changes, and never passes to another person. Default false.',
    ),
  login_name_claim: Claim.default('preferred_username').describe(
    'Claim with the login name. Default `preferred_username`.',
  ),
  groups_claim: z
    .string()
    .max(256)
    .refine((text) => text === '' || pathOf(text) !== undefined, 'Must be the name of a claim')
    .default('groups')
    .describe(
      'Claim with the identifiers of groups, or a path such as `realm_access.roles`. A dot in a name follows a backslash, or the path is an array of JSON. Empty: provisioned groups count, and no groups are read. Default `groups`.',
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
  required_claims: list(Condition, 100)
    .default([])
    .describe(
      'Conditions of the form `claim=value` that a person must meet: one value of each named claim. `email=@example.com` stands for all verified addresses of a domain. Default: none.',
    ),
  trusts_email: z
    .boolean()
    .default(false)
    .describe(
      'If true, the e-mail addresses of the provider count as verified, whatever it says about them. Microsoft Entra ID says nothing. Default false.',
    ),
  authorization_parameters: list(Parameter, 20)
    .default([])
    .describe(
      'Further parameters of the authorization request of the form `name=value`, such as `domain_hint=example.com`. Default: none.',
    ),
  email_domains: list(EmailDomain, 100)
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
      'Requested authentication contexts (`acr_values`). An ID token with one of them in `acr`, or in `acrs` of Microsoft Entra ID, counts as signed in with a second factor. Default: none.',
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
      'If true, the portal requests a refresh token (`offline_access`) and asks the provider every `oidc.recheck_s` seconds whether the session may continue, and which groups the user has. Default false.',
    ),
};
