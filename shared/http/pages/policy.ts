/**
 * Returns the security headers of a page. Only scripts and styles with the nonce apply, and other sites cannot frame
 * the page.
 * @param nonce of this response
 * @param loadsOwnFiles the page has script and style files of this portal, pictures that scripts have loaded, and may have a
 *   manifest and a service worker
 */
export function pageHeaders(nonce: string, { loadsOwnFiles = false } = {}): Record<string, string> {
  const own = `'nonce-${nonce}'${loadsOwnFiles ? " 'self'" : ''}`;
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    `img-src data:${loadsOwnFiles ? " blob: 'self'" : ''}`,
    "connect-src 'self'",
    ...(loadsOwnFiles ? ["manifest-src 'self'", "worker-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  };
}

/** The headers of a page that browsers store: without a nonce, all of its scripts and styles are files of this portal. */
export const filePageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
