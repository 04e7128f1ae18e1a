import { defaultRoles } from '../../../db/roles.ts';
import { startPgbouncer } from './pgbouncer.ts';
import { keys, startDatabaseServer } from './stand.ts';

/**
 * A database that the portal and its sidecar reach through PgBouncer, and migrations directly. The roles have no settings,
 * and PgBouncer refuses start-up options, so that time limits can only be set in each transaction.
 */
export async function startPooledDatabase() {
  const server = await startDatabaseServer();
  const { owner, portal, sidecar } = defaultRoles;
  for (const role of [portal, sidecar]) await server.admin.query(`alter role ${role} reset all`);
  const bouncer = await startPgbouncer({ server: server.url, users: [owner, portal, sidecar, 'app'] });
  return {
    server,
    bouncer,
    env: {
      ...keys,
      DATABASE_URL: bouncer.through(server.address.url),
      DATABASE_SIDECAR_URL: bouncer.through(server.address.sidecarUrl),
      DATABASE_OWNER_URL: server.address.ownerUrl,
    },
    stop: async () => {
      await bouncer.stop();
      await server.stop();
    },
  };
}
