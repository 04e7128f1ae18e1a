import { create, domainsPath, providerBody, type World } from '../factories.ts';
import { claimsOf, signed, startForger } from '../oidc/forger.ts';
import type { Json } from '../portal.ts';
import { Browser, type Seen } from './browser.ts';

/** A sign-in that has begun: the browser with its cookie, and the values for the answer. */
export type Begun = { browser: Browser; state: string; nonce: string };

/** A domain of a portal whose provider answers as a test wants. */
export async function startForgedDomain({ portal, admin }: Pick<World, 'portal' | 'admin'>) {
  const forger = await startForger();
  const { baseUrl } = portal.deps;
  const params = {
    ...{ issuer: forger.issuer, client_id: 'ask', client_secret: 'a secret', ca_certificate: forger.ca },
    groups_claim: '',
  };
  const domain: Json = await create(admin, domainsPath, providerBody(params));
  const at = `${baseUrl}/api/auth/v7.0/oidc`;
  const begin = async (): Promise<Begun> => {
    const browser = new Browser({ baseUrl, send: portal.send }, () => forger.ca);
    const { headers } = await browser.open(`${at}/${domain.id}/start`);
    const asked = new URL(headers.get('location') ?? '').searchParams;
    return { browser, state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' };
  };
  const answerTo = ({ state }: Begun, given: Record<string, string>): string =>
    `${at}/callback?${new URLSearchParams({ state, iss: forger.issuer, ...given })}`;
  return {
    ...{ forger, domain, begin, answerTo },
    /** Begins a sign-in and gives an answer of the browser. */
    answered: async (given: Record<string, string>): Promise<Seen> => {
      const begun = await begin();
      return begun.browser.open(answerTo(begun, given));
    },
    /** Signs a person in with these claims in the ID token. */
    signIn: async (claims: Json): Promise<Seen> => {
      const begun = await begin();
      const id_token = await signed({ ...claimsOf(forger.issuer, begun.nonce), ...claims }, forger.key);
      forger.answers.token = () => ({ json: { access_token: 'access', token_type: 'Bearer', id_token } });
      forger.answers.userinfo = () => ({ json: { sub: claims.sub } });
      try {
        return await begun.browser.open(answerTo(begun, { code: 'code' }));
      } finally {
        forger.reset();
      }
    },
  };
}

export type ForgedDomain = Awaited<ReturnType<typeof startForgedDomain>>;
