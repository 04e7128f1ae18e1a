const name = '__Host-by-provider';
const attributes = 'Path=/; Secure; SameSite=Strict';

/**
 * The cookie by which pages see that a session began at a provider, so that they end it there as well. It grants nothing,
 * and scripts of the portal can read it.
 */
export const providerMark = {
  set: `${name}=1; ${attributes}`,
  removed: `${name}=; ${attributes}; Max-Age=0`,
};
