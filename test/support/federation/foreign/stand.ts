import { addGroup, create, domainBody, domainsPath, startWorld, usersPath } from '../../factories.ts';
import { serveChanges } from '../../http/changes.ts';
import { Browser } from '../browser.ts';
import { checksOf } from '../checks.ts';
import type { Claims, ProviderProfile } from '../providers/profile.ts';

type ForeignProvider = {
  issuer: string;
  caPem: string;
  client: { id: string; secret: string };
  stop(): Promise<void>;
};

/**
 * A portal with a domain whose users sign in at a foreign provider, and with the group `engineers`.
 * @param start receives the base of the portal's addresses for providers
 * @param params further settings of the domain
 */
export async function startForeignStand<Provider extends ForeignProvider>(
  start: (base: string) => Promise<Provider>,
  params: Record<string, unknown> = {},
) {
  const world = await startWorld();
  const { baseUrl } = world.portal.deps;
  const served = await serveChanges(world.portal);
  const provider = await start(`${baseUrl}/api/auth/v7.0/oidc`);
  const { id: client_id, secret: client_secret } = provider.client;
  const registered = { issuer: provider.issuer, client_id, client_secret, ca_certificate: provider.caPem };
  const body = domainBody({ type: 'oidc', params: { ...registered, groups_claim: 'groups', ...params } });
  const domain = await create(world.admin, domainsPath, body);
  const group = await addGroup(world.admin, domain, { name: 'engineers' });
  const opened: Browser[] = [];
  return {
    ...{ world, provider, domain, group, baseUrl },
    /** Checks all sessions at the provider now. */
    check: checksOf(world.portal),
    /** Address of the portal that receives log-outs, which the provider can reach. */
    logOutsAt: `${served.origin}/api/auth/v7.0/oidc/${domain.id}/backchannel-logout`,
    startAt: `${baseUrl}/api/auth/v7.0/oidc/${domain.id}/start`,
    browser: (): Browser => {
      const browser = new Browser({ baseUrl, send: world.portal.send }, () => provider.caPem);
      opened.push(browser);
      return browser;
    },
    /** Ends the sessions of all browsers at the portal. A check takes a few sessions of a domain at a time. */
    signOutAll: async (): Promise<void> => {
      await Promise.all(opened.splice(0).map((browser) => browser.send('POST /api/auth/v7.0/oidc/sign-out')));
    },
    /**
     * What the provider announces of the members of a profile, at the addresses of the profile. Lists are sorted: the order of
     * some is random.
     */
    announced: async ({ discovery }: ProviderProfile): Promise<{ live: Claims; profile: Claims }> => {
      const browser = new Browser({ baseUrl, send: world.portal.send }, () => provider.caPem);
      const place = `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
      const { body: document } = await browser.open(place);
      const live: Claims = JSON.parse(document.replaceAll(provider.issuer, discovery.issuer));
      const membersOf = (given: Claims): Claims =>
        Object.fromEntries(
          Object.keys(discovery).map((name) => {
            const value = given[name];
            return [name, Array.isArray(value) ? value.toSorted() : value];
          }),
        );
      return { live: membersOf(live), profile: membersOf(discovery) };
    },
    set: async (changed: Record<string, unknown>): Promise<void> => {
      const answer = await world.admin(`PATCH ${domainsPath}/${domain.id}`, { params: changed });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    /** The users of the domain with their groups. */
    users: async () => {
      const { items } = (await world.admin(`GET ${usersPath(domain)}`)).body;
      const read = items.map(async ({ id }: { id: string }) => {
        const { body: user } = await world.admin(`GET ${usersPath(domain)}/${id}`);
        return { name: user.name, real_name: user.real_name, email: user.email, groups: user.groups };
      });
      return Promise.all(read);
    },
    close: async () => {
      await provider.stop();
      await served.close();
      await world.portal.close();
    },
  };
}
