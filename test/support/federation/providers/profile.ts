/** JSON as a provider sends it. `{client}` in a text stands for the identifier of the client. */
export type Claims = Readonly<Record<string, unknown>>;

/** An answer of a provider that refuses something. Without a body it is empty. */
export type Refusal = { status: number; headers?: Record<string, string>; body?: Claims };

/**
 * What a provider does in its usual configuration, after the steps of the guide. Addresses, names of claims and types of JSON are
 * those of the provider.
 */
export type ProviderProfile = {
  /** Pages of its documentation, files of its source, or `recorded` with the version. */
  sources: readonly string[];
  /** Its configuration document. */
  discovery: Claims & {
    issuer: string;
    authorization_endpoint: string;
    token_endpoint: string;
    jwks_uri: string;
    userinfo_endpoint: string;
    pushed_authorization_request_endpoint?: string;
    end_session_endpoint?: string;
    authorization_response_iss_parameter_supported?: boolean;
  };
  /** The claims of an ID token besides `iss`, `iat`, `exp`, `auth_time` and `nonce`. */
  idToken: Claims;
  userinfo: Claims;
  /** Members of the answer of the token endpoint besides the tokens. */
  token: Claims;
  /** What makes it issue a refresh token. */
  refreshToken: 'always' | 'offline_access' | 'access_type';
  /** A refresh returns an ID token and, if the provider rotates them, a refresh token. */
  refresh: { idToken: boolean; rotates: boolean };
  /** Scopes that the client may request. Null: unknown ones are ignored. */
  scopes: readonly string[] | null;
  /** Methods that it accepts for the client, of those that it announces. */
  authentication: readonly ('client_secret_basic' | 'client_secret_post')[];
  errors: {
    client: Refusal;
    /** Of a refresh token that has ended. */
    refreshToken: Refusal;
    accessToken: Refusal;
    /** A refusal is a page of the provider. A text is the code that the browser brings back. */
    scope: Refusal | string;
  };
};
