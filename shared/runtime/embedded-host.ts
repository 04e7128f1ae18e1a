/**
 * Host in the URL of the embedded database. Clients connect to the Unix socket of the parameter `host`, which replaces it;
 * it only identifies such a URL.
 */
export const embeddedHost = 'embedded';
