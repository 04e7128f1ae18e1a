/** A host as it is stored and compared, and a port without leading zeros, which is empty without one. */
export type Peer = { host: string; port: string };

/** Maximum length of a name without a trailing dot (RFC 1035, 2.3.4). */
export const longestHost = 253;

/** Characters that the URL parser removes, or reads as the end of a host. */
const notOfHosts = /[\s\p{Cc}/\\?#@[\]]/u;

/** Names of machines may contain underscores, as those of Windows do. */
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const dnsName = new RegExp(`^${label}(?:\\.${label})*$`);

/**
 * The stored spelling of a host: without blanks around, in lower case, with A-labels in place of other scripts, without
 * brackets around an IPv6 address, which is in its shortest form, and without the trailing dot of a name.
 * @returns undefined for a text that is not a host, for an IPv6 address with a zone, which is meaningful on one machine
 *   only, and for an IPv4 address in another form than four decimal numbers
 */
export function parseHost(text: string): string | undefined {
  const host = hostInUrl(text);
  const isIpv4 = host !== undefined && /^[\d.]+$/.test(host);
  return isIpv4 && host !== withoutDot(text.trim()) ? undefined : host;
}

/** Parses `host` or `host:port`, an IPv6 address in brackets. URLs may contain any form of an IPv4 address. */
export function parsePeer(text: string): Peer | undefined {
  const [, given = '', digits = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(text) ?? [];
  const host = hostInUrl(given);
  const port = Number(digits);
  if (host === undefined || (digits !== '' && (port < 1 || port > 65_535))) return undefined;
  return { host, port: digits === '' ? '' : String(port) };
}

/** The host of a URL as it is stored: `hostname` of a URL has brackets, and may have a trailing dot. */
export const bareHost = (hostname: string): string => hostInUrl(hostname) ?? hostname;

/** The host in the form that precedes a port: IPv6 addresses in brackets. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export const spelledPeer = ({ host, port }: Peer): string =>
  port === '' ? urlHost(host) : `${urlHost(host)}:${port}`;

const withoutDot = (name: string): string => name.replace(/\.$/, '');

/** The URL parser is the same on all runtimes. It normalises hosts of `http` and `https` only. */
function hostInUrl(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[([^[\]]*:[^[\]]*)\]$/.exec(trimmed)?.[1] ?? trimmed;
  const url = `http://${urlHost(bare)}`;
  if (bare === '' || notOfHosts.test(bare) || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (bare.includes(':')) return hostname.slice(1, -1);
  const name = withoutDot(hostname);
  return name.length <= longestHost && dnsName.test(name) ? name : undefined;
}
