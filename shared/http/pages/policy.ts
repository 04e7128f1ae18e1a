/**
 * Returns the security headers of a page. Only scripts and styles with the nonce apply, and other sites cannot frame
 * the page.
 * @param nonce of this response
 * @param loadsOwnFiles also allows script and style files of this portal
 */
export function pageHeaders(nonce: string, loadsOwnFiles = false): Record<string, string> {
  const own = `'nonce-${nonce}'${loadsOwnFiles ? " 'self'" : ''}`;
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    'img-src data:',
    "connect-src 'self'",
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
