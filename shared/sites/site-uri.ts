import { z } from 'zod';

/** Path parameters of operations on one site. Users address the site by its uri. */
export const SiteUriParams = z.object({
  site_uri: z
    .string()
    .max(63)
    .regex(/^[a-z0-9-]{1,63}$/)
    .describe('Name of the site in URLs, such as `north`.'),
});
