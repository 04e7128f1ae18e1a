import type { Text } from '../../messages/message.ts';

/**
 * Addresses of the portal by their names in the registration of a client: RFC 7591, OpenID Connect RP-Initiated Logout and
 * Back-Channel Logout.
 */
export type Registration = {
  /** Who can sign in with the present settings. */
  admission: Text;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  backchannel_logout_uri: string;
  /** Null if the portal authenticates with a secret. */
  jwks_uri: string | null;
};
