/**
 * Content codings in the tags of compressing proxies: `"…-gzip"` and `"…;gzip"` (Apache), `"…--gzip"` (Jetty), and the
 * same with other codings. One of two dashes can be the last character of the tag itself.
 */
const codingsOfProxies = [
  /-(?:gzip|br|deflate|zstd)"$/i,
  /--(?:gzip|br|deflate|zstd)"$/i,
  /;(?:gzip|br|deflate|zstd)"$/i,
];

/** A tag without the mark of a weak one. */
export const strongTag = (tag: string): string => tag.trim().replace(/^W\//, '');

/**
 * The tags of `If-Match` or `If-None-Match`, as the portal may have issued them. A proxy that compresses a response makes its
 * tag weak or appends the content coding (RFC 9110, 8.8.3.3), and clients return the changed tag.
 * @returns for each tag the tag itself without the mark of a weak one, and without each coding that it may end in
 */
export const issuedTags = (header: string): string[] =>
  header.split(',').flatMap((sent) => {
    const tag = strongTag(sent);
    return [
      tag,
      ...codingsOfProxies.filter((coding) => coding.test(tag)).map((coding) => tag.replace(coding, '"')),
    ];
  });
