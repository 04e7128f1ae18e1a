import { addGroup, create, domainBody, domainsPath, startWorld, type World } from '../factories.ts';
import type { Json } from '../portal.ts';
import { Browser } from './browser.ts';
import { clientSecret, type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

/** A domain of a portal whose users sign in at a real provider. */
export type Federation = {
  provider: OpenIdProvider;
  domain: Json;
  group: Json;
  /** Changes settings of the domain. */
  set(params: Record<string, unknown>, rest?: Record<string, unknown>): Promise<void>;
  /** The address that starts a sign-in. */
  startOf(query?: Record<string, string>): string;
};

/** The same with a portal of its own, and browsers without pages. */
export type FederationStand = Federation & {
  world: World;
  browser(): Browser;
  /** Signs a person in. Default: in a new browser. */
  signIn(subject: string, browser?: Browser): Promise<Browser>;
  close(): Promise<void>;
};

/** The group that the people of the provider are in. */
export const staff = 'staff';

/** @param host of the provider. With another one than that of the portal, browsers treat them as different sites. */
export async function federate(world: World, host?: string): Promise<Federation> {
  const { baseUrl } = world.portal.deps;
  const ready: { domainId?: string } = {};
  const provider = await startOpenIdProvider({
    portalUrl: baseUrl,
    host,
    domainIdOf: () => ready.domainId,
    toPortal: async (request) => {
      const headers = Object.fromEntries(request.headers);
      const body = await request.text();
      const { status } = await world.portal.send(`POST ${new URL(request.url).pathname}`, { headers, body });
      return new Response(null, { status });
    },
  });
  const params = {
    issuer: provider.issuer,
    client_id: 'aggregator',
    client_secret: clientSecret,
    ca_certificate: provider.caPem,
    groups_claim: 'groups',
  };
  const domain = await create(world.admin, domainsPath, domainBody({ type: 'oidc', params }));
  ready.domainId = domain.id;
  return {
    provider,
    domain,
    group: await addGroup(world.admin, domain, { name: staff }),
    set: async (changed, rest = {}) => {
      const path = `PATCH ${domainsPath}/${domain.id}`;
      const answer = await world.admin(path, { params: changed, ...rest });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    startOf: (query = {}) => {
      const search = new URLSearchParams(query);
      return `${baseUrl}/api/auth/v7.0/oidc/${domain.id}/start${search.size > 0 ? `?${search}` : ''}`;
    },
  };
}

export async function startFederationStand(
  options?: Parameters<typeof startWorld>[0],
): Promise<FederationStand> {
  const world = await startWorld(options);
  const federation = await federate(world);
  const { provider, startOf } = federation;
  const { deps, send } = world.portal;
  const browser = () => new Browser({ baseUrl: deps.baseUrl, send }, () => provider.caPem);
  return {
    ...federation,
    world,
    browser,
    signIn: async (subject, own = browser()) => {
      provider.atKeyboard = subject;
      await own.follow(startOf());
      return own;
    },
    close: async () => {
      await provider.close();
      await world.portal.close();
    },
  };
}
