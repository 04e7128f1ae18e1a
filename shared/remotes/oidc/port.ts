import { escapeControls, startOf } from '../../kernel/text.ts';
import type { RequiredClaim } from './login/claims.ts';

/** How the portal authenticates to a provider. Key: `private_key_jwt` with the JWK of an RSA key (RS256). */
export type ClientAuthentication =
  | { kind: 'secret'; secret: string }
  | { kind: 'key'; key: JsonWebKey; kid: string };

/** The registration of the portal at a provider, and what a login requires. Built from the settings of a domain. */
export type OidcClient = {
  /** Issuer as configured. Also `…/common/v2.0` or `…/organizations/v2.0` of Microsoft Entra ID. */
  issuer: string;
  /** Address of the configuration, if it is not below the issuer. */
  discoveryUrl: string | undefined;
  clientId: string;
  authentication: ClientAuthentication;
  /** PEM certificates that are trusted instead of the public authorities. */
  ca: string | undefined;
  /** Contains `openid`. */
  scopes: readonly string[];
  /** A refresh token is needed: `offline_access` is requested unless the provider does not know it. */
  isOffline: boolean;
  /** The claim that identifies a person: `sub`, or `oid` of Entra ID. */
  subjectClaim: string;
  loginNameClaim: string;
  /** Path of the claim with the groups, such as `realm_access.roles`. Undefined: groups are not read. */
  groupsClaim: string | undefined;
  /** Conditions on claims, all of which a person must meet. See `admission.ts`. */
  requiredClaims: readonly RequiredClaim[];
  /** The e-mail addresses of the provider count as verified, whatever it says about them. */
  trustsEmail: boolean;
  /** Accepted values of `tid`. Empty: every tenant of an issuer without a template. */
  allowedTenants: readonly string[];
  /** Requested from the provider. An answer with one of them has a second factor. */
  acrValues: readonly string[];
  /** Values of `amr` that count as a second factor. */
  amrValues: readonly string[];
  /** Further parameters of the authorization request. The portal's own have precedence. */
  authorizationParameters: Readonly<Record<string, string>>;
  /** Sent unless a request has its own value. Some providers issue a refresh token only after `consent`. */
  prompt: 'login' | 'consent' | 'select_account' | undefined;
  /** Time limit of one operation in milliseconds, for all its requests together. */
  deadlineMs: number;
};

/** What a provider announces. */
export type ProviderFacts = {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userinfoEndpoint: string | undefined;
  pushedRequestEndpoint: string | undefined;
  endSessionEndpoint: string | undefined;
  jwksUri: string;
  /** Asymmetric algorithms of ID tokens that the provider announces and the portal accepts. */
  signingAlgorithms: readonly string[];
  /** How the portal authenticates: the announced method that fits the settings. */
  authenticationMethod: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  sendsIssuer: boolean;
  supportsFormPost: boolean;
  supportsBackchannelLogout: boolean;
};

/** A published key. `isForSignatures` is true for an asymmetric key that is not limited to encryption. */
export type ProviderKey = { kid: string | undefined; isForSignatures: boolean };

/** A completed authentication at a provider. */
export type ProviderLogin = {
  /** `iss` of the ID token. */
  issuer: string;
  /** Value of the subject claim. Together with the issuer it identifies the person. */
  subject: string;
  /** `sub` of the ID token, which logout tokens contain. */
  sub: string;
  /** Value of the claim for the login name. */
  loginName: string;
  /** Claims of the ID token, supplemented by those of the userinfo endpoint. */
  claims: Readonly<Record<string, unknown>>;
  /** Identifiers of groups. Undefined if the settings name no claim for groups, or if a refresh returned no claims. */
  groups: readonly string[] | undefined;
  sid: string | undefined;
  amr: readonly string[];
  acr: string | undefined;
  /** Time of the authentication, in seconds since 1970. */
  authTime: number | undefined;
  /** Why the userinfo endpoint could not be read, if nothing that is required had to come from there. */
  userinfoFault: OidcReason | undefined;
  /** For the logout at the provider. */
  idToken: string;
  refreshToken: string | undefined;
  /** The provider has checked a second factor that the settings accept. */
  secondFactor: boolean;
};

export type AuthorizationRequest = {
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  loginHint?: string | undefined;
  prompt?: 'login' | 'consent' | 'select_account' | 'none' | undefined;
  /** Maximum age of the authentication in seconds. The same value is required in `exchange`. */
  maxAge?: number | undefined;
  responseMode?: 'form_post' | undefined;
};

export type CodeExchange = {
  /** Parameters of the callback. */
  callback: URLSearchParams;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  maxAge?: number | undefined;
  /** Receives the validated claims before they are judged, again with those of the userinfo endpoint. */
  onClaims?: ((claims: ProviderLogin['claims']) => void) | undefined;
};

export type LogoutRequest = { idToken: string; postLogoutRedirectUri: string; state: string };

/** A validated logout token (OpenID Connect Back-Channel Logout 1.0). `sub`, `sid` or both are set. */
export type LogoutToken = { issuer: string; sub: string | undefined; sid: string | undefined; jti: string };

/**
 * A refresh token with the login that it belongs to. A provider may return no new ID token (OpenID Connect Core, 12.2),
 * and then the former one remains valid for the logout.
 */
export type RefreshGrant = {
  refreshToken: string;
  login: Pick<ProviderLogin, 'issuer' | 'sub' | 'subject' | 'loginName' | 'idToken'>;
};

/** A client of OpenID providers. All operations throw OidcError. */
export type OidcRemote = {
  /** Reads the configuration of the provider, or returns the cached one. */
  discover(client: OidcClient, signal?: AbortSignal): Promise<ProviderFacts>;
  /** The address that the browser opens. The request is pushed (RFC 9126) if the provider offers it. */
  authorizationUrl(client: OidcClient, request: AuthorizationRequest, signal?: AbortSignal): Promise<string>;
  /** Validates the callback, exchanges its code and validates the ID token. */
  exchange(client: OidcClient, exchange: CodeExchange, signal?: AbortSignal): Promise<ProviderLogin>;
  /** Reads the person again. `revoked` if the provider does not accept the refresh token any more. */
  refresh(client: OidcClient, grant: RefreshGrant, signal?: AbortSignal): Promise<ProviderLogin | 'revoked'>;
  /** Gives a refresh token back (RFC 7009). Does nothing if the provider has no endpoint for it. */
  revoke(client: OidcClient, refreshToken: string, signal?: AbortSignal): Promise<void>;
  /** The address that ends the session at the provider. Undefined if the provider has none. */
  logoutUrl(client: OidcClient, request: LogoutRequest, signal?: AbortSignal): Promise<string | undefined>;
  /** Validates a logout token. The caller rejects a repeated `jti`. */
  readLogoutToken(client: OidcClient, token: string, signal?: AbortSignal): Promise<LogoutToken>;
};

export type OidcReason =
  /** No connection, a failed TLS handshake, or no answer in time. */
  | 'unreachable'
  | 'address_not_allowed'
  /** The configuration or the keys of the provider are not usable. */
  | 'discovery'
  /** An answer of another endpoint is not usable: too large, a redirect, or not valid. */
  | 'invalid_response'
  | 'issuer_mismatch'
  | 'state_mismatch'
  | 'nonce_mismatch'
  /** The ID token or logout token is not valid. `claim` names the faulty member, if there is one. */
  | 'token_invalid'
  /** The provider has answered with an error. `providerCode` is its code. */
  | 'refused'
  | 'tenant_not_allowed'
  /** A required claim has none of the accepted values. `claim` names it. */
  | 'claim_not_allowed'
  /** The login name is an e-mail address that the provider has not verified. */
  | 'email_unverified'
  /** A required claim is missing. `claim` names it. */
  | 'claim_missing'
  /** The userinfo endpoint or a refresh describes another person. */
  | 'subject_mismatch'
  /** Microsoft Graph did not return the groups of a person with many groups. */
  | 'groups_unavailable'
  /** The settings have no secret or key. The portal never authenticates without one. */
  | 'not_configured';

/** What was asked when an operation failed. `authorization`: the answer that the browser brings. */
export type OidcEndpoint =
  | 'discovery'
  | 'keys'
  | 'pushed_request'
  | 'authorization'
  | 'token'
  | 'revocation'
  | 'userinfo'
  | 'groups';

export type OidcFacts = {
  claim?: string | undefined;
  providerCode?: string | undefined;
  transport?: string | undefined;
  endpoint?: OidcEndpoint | undefined;
  expected?: string | undefined;
  found?: string | undefined;
};

/** A failed operation. Contains no tokens, codes or secrets. */
export class OidcError extends Error {
  readonly reason: OidcReason;
  readonly claim: string | undefined;
  /** Error code of the provider, such as `access_denied`: at most 64 characters of `a-z`, `0-9`, `_`, `-` and `.`. */
  readonly providerCode: string | undefined;
  /** Reason of a failed exchange over HTTP, for logs and connection tests. */
  readonly transport: string | undefined;
  readonly endpoint: OidcEndpoint | undefined;
  /** What the settings require, and what the provider has sent: at most 256 printable characters each. */
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor(reason: OidcReason, facts: OidcFacts = {}) {
    super(`sign-in by identity provider failed: ${reason}`);
    this.name = 'OidcError';
    this.reason = reason;
    this.claim = facts.claim;
    this.providerCode = facts.providerCode;
    this.transport = facts.transport;
    this.endpoint = facts.endpoint;
    this.expected = printable(facts.expected);
    this.found = printable(facts.found);
  }

  /** The same failure with its place, unless it has one. */
  at(endpoint: OidcEndpoint): OidcError {
    return this.endpoint === undefined ? new OidcError(this.reason, { ...this, endpoint }) : this;
  }
}

const printable = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : escapeControls(startOf(text, 256));
