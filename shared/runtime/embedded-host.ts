/**
 * Host name in the URL of the embedded database, as an identification. Connections use the Unix socket in the
 * parameter `host`.
 */
export const embeddedHost = 'embedded';

export const isEmbeddedUrl = (databaseUrl: string): boolean => new URL(databaseUrl).hostname === embeddedHost;
