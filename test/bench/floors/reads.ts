import { type Context, Hono } from 'hono';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import * as sql from './statements.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows of the statements beside, which no schema describes
export type Row = Record<string, any>;
export type Run = (statement: sql.NamedStatement, values: unknown[]) => Promise<Row[]>;

const idleMs = 30 * 60_000;
const longestMs = 4 * 60 * 60_000;

/**
 * The floor of reads: bare routes that answer with the members of the portal's answers. A session lookup and one or two
 * statements; no permissions, parameters, validation, log, sealed cursor, circuit breakers or routing rules.
 */
export function readRoutes(run: Run): Hono {
  const app = new Hono();
  const signedIn = sessionReader(run);
  app.get('/api/auth/v7.0/authenticators', async (c) => c.json(await run(sql.domains, [])));
  app.get('/api/userinfo', async (c) => {
    const session = await signedIn(c);
    const [account] = await run(sql.account, [session.user_id]);
    return account ? c.json(accountView(account, session)) : c.notFound();
  });
  app.get('/api/webui/aggregator/authenticators/:id/users', async (c) => {
    await signedIn(c);
    const limit = Number(c.req.query('limit'));
    return c.json(pageOf(await run(sql.users, [c.req.param('id'), limit + 1]), limit));
  });
  app.get('/api/webui/aggregator/workplaces', async (c) => {
    await signedIn(c);
    const limit = Number(c.req.query('limit'));
    const rows = await run(sql.workplaces, [limit + 1]);
    const farms = await run(sql.farmStates, []);
    return c.json({ ...pageOf(rows.map(workplaceView), limit), sites: farms.map(farmView) });
  });
  app.get('/aggregator/api/client/v7.0/:site/servicesList/', async (c) => {
    const session = await signedIn(c);
    const farms = await run(sql.services, [session.user_id, c.req.param('site')]);
    return c.json(servicesView(farms, await run(sql.domains, [])));
  });
  return app;
}

/** @returns a function that finds the session of a request @throws Error if it does not exist or has expired */
export const sessionReader =
  (run: Run) =>
  async (c: Context): Promise<Row> => {
    const [session] = await run(sql.session, [sha256(c.req.header('x-auth-token') ?? '')]);
    const now = Date.now();
    if (!session || now > session.last_seen_at.getTime() + idleMs) throw new Error('no session');
    return session;
  };

function accountView(account: Row, session: Row) {
  const { domain_id, domain_name, small_name, domain_type, roles, ...own } = account;
  return {
    ...own,
    domain: {
      ...{ uuid: domain_id, name: domain_name, small_name },
      flow: domain_type === 'oidc' ? 'redirect' : 'password',
    },
    portal: session.portal,
    roles: roles.map(({ id, name }: Row) => ({ id, name })),
    permissions: [...new Set(roles.flatMap((role: Row) => role.permissions))],
    scope: { sites: roles.flatMap(({ scope }: Row) => scope.sites) },
    ip: '127.0.0.1',
    session: {
      created_at: session.created_at,
      expires_at: new Date(session.created_at.getTime() + longestMs),
      idle_expires_at: new Date(session.last_seen_at.getTime() + idleMs),
    },
  };
}

/** A page of rows of which one more than `limit` was read. */
function pageOf(rows: Row[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit ? { items, next: btoa(JSON.stringify([last?.name, last?.uuid])) } : { items };
}

const workplaceView = ({ owner_domain, owner_name, ...row }: Row) => ({
  ...row,
  owner: owner_name === null ? null : { domain: owner_domain, name: owner_name },
});

function farmView({ site_id, site_uri, site_name, farm_id, farm_name, fetched_at, ...farm }: Row) {
  return {
    ...{ site_id, site_uri, site_name, farm_id, farm_name },
    status: statusOf(farm, fetched_at),
    fetched_at,
    age_ms: fetched_at && Date.now() - fetched_at.getTime(),
    ...(farm.took_ms != null && { took_ms: farm.took_ms }),
    ...(farm.error != null && { error: farm.error }),
  };
}

function statusOf({ enabled, maintenance }: Row, fetchedAt: Date | null): string {
  if (!enabled) return 'disabled';
  if (maintenance) return 'maintenance';
  return fetchedAt ? 'ok' : 'pending';
}

function servicesView(farms: Row[], domains: Row[]) {
  const services = farms.flatMap((farm) =>
    (farm.services ?? []).map(({ uuid, sessions, ...service }: Row) => ({
      ...service,
      id: `${farm.farm_id}.${uuid}`,
      kind: 'pool',
      image_url: null,
      // Without the preferences of the user.
      favourite: false,
      last_used_at: null,
      launch: null,
      farm_id: farm.farm_id,
      sessions: sessions.map((session: Row) => ({ ...session, farm_id: farm.farm_id })),
      link: `/aggregator/api/client/v7.0/${farm.site_uri}/connectionInfo/${farm.farm_id}.${uuid}`,
    })),
  );
  return {
    domains: domains.map(({ authUuid, auth, authSmallName }) => {
      const linked = farms.flatMap(({ farm_id, domains: known }) =>
        (known ?? [])
          .filter((one: Row) => one.authSmallName === authSmallName)
          .map((one: Row) => ({ farm_id, dispatcher_uuid: one.authUuid })),
      );
      return { authSmallName, auth, local_uuid: authUuid, linked: linked.length > 0, farms: linked };
    }),
    services: services.sort((a, b) => (a.name < b.name ? -1 : 1)),
    sites: farms.map(farmView),
    announced_maintenance: [],
  };
}
