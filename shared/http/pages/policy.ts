/**
 * The security headers of every page. A page runs and styles nothing but what carries the nonce, and no other site may
 * frame it.
 * @param nonce of this answer
 * @param loadsOwnFiles also scripts and styles that this portal serves as files
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
