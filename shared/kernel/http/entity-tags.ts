/**
 * Content codings in the tags of compressing proxies: `"…-gzip"` and `"…;gzip"` (Apache), `"…--gzip"` (Jetty), and the
 * same with other codings.
 */
const codingOfProxy = /(?:--?|;)(?:gzip|br|deflate|zstd)"$/i;

/**
 * The tag as the portal has issued it. A proxy that compresses a response makes its tag weak or appends the content
 * coding (RFC 9110, 8.8.3.3), and clients return the changed tag.
 */
export const issuedTag = (tag: string): string => tag.trim().replace(/^W\//, '').replace(codingOfProxy, '"');

/** The tags of `If-Match` or `If-None-Match`, as the portal has issued them and without marks of weak tags. */
export const issuedTags = (header: string): string[] => header.split(',').map(issuedTag);
