/**
 * Replaces `sslrootcert=system` of libpq, which `pg` would read as the name of a file. Without a file, Node verifies with its
 * own authorities. As in libpq, the host name is always verified.
 */
export function withSystemRoots(url: string): string {
  if (!/[?&]sslrootcert=system(&|$)/.test(url)) return url;
  const others = url.replace(/([?&])(sslrootcert|sslmode)=[^&]*/g, '$1');
  return `${others}&sslmode=verify-full`;
}
