import { domainTypeOf } from '../domains/registry.ts';

/**
 * The relying party of passkeys (WebAuthn, 4): the host of `BASE_URL`. Undefined for an IP address, for which browsers
 * refuse passkeys.
 */
export function passkeyHost(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl);
  return /^\[|^[\d.]+$/.test(hostname) ? undefined : hostname;
}

/** True if users of such a domain can have passkeys: the portal verifies their other credentials as well. */
export const takesPasskeys = (baseUrl: string, domainType: string): boolean =>
  passkeyHost(baseUrl) !== undefined && domainTypeOf(domainType).supports.ownPassword;
