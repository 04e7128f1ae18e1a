type Loads = {
  /** Script and style files of this portal, besides those in the page. */
  ownFiles?: boolean;
  /** Pictures that scripts have loaded, a manifest and a service worker. */
  ownParts?: boolean;
  /** The address to which a response to a form of the page redirects. Default: only pages of this portal. */
  formsLeadTo?: string | undefined;
};

/**
 * Returns the security headers of a page. Only scripts and styles with the nonce apply, and other sites cannot frame
 * the page.
 * @param nonce of this response
 * @param loads what the page may load as well
 */
export function pageHeaders(
  nonce: string,
  { ownFiles = false, ownParts = false, formsLeadTo }: Loads = {},
): Record<string, string> {
  const own = `'nonce-${nonce}'${ownFiles ? " 'self'" : ''}`;
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    `img-src data:${ownParts ? " blob: 'self'" : ''}`,
    "connect-src 'self'",
    ...(ownParts ? ["manifest-src 'self'", "worker-src 'self'"] : []),
    `form-action 'self'${formsLeadTo === undefined ? '' : ` ${sourceOf(formsLeadTo)}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  };
}

/** A policy cannot name an IPv6 address (CSP3, 2.3.1), so its scheme stands for it. */
function sourceOf(address: string): string {
  const { protocol, hostname, origin } = new URL(address);
  return hostname.startsWith('[') ? protocol : origin;
}

/** The headers of a page that browsers store: without a nonce, all of its scripts and styles are files of this portal. */
export const filePageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
