import pg from 'pg';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import { noLogins } from '../../support/fleet/no-logins.ts';
import { sameForBoth } from '../settings.ts';
import { type Row, type Run, readRoutes, sessionReader } from './reads.ts';
import { serveFloor } from './serve.ts';
import * as sql from './statements.ts';

export type FloorSettings = { databaseUrl: string; baseUrl: string; signingKey: string };

/** The floor on Node: the server entry, the pool size and the outbound transport of the portal, without the portal. */
const settings: FloorSettings = JSON.parse(process.argv[2] ?? '{}');
const { outbound, host } = sameForBoth;
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 });
const run: Run = async (statement, values) => (await pool.query({ ...statement, values })).rows;
const transport = createNodeTransport(outbound);
const signedIn = sessionReader(run);
const app = readRoutes(run);

app.get('/aggregator/api/client/v7.0/:site/connectionInfo/:id', async (c) => {
  const { user_id } = await signedIn(c);
  const { site, id } = c.req.param();
  const [farm, service] = id.split('.');
  const [node] = await run(sql.node, [user_id, site, farm]);
  if (!node) return c.notFound();
  const { status, text } = await transport.send({
    method: 'GET',
    url: `${node.url}/api/client/v7.0/connectionInfo/${service}`,
    headers: { 'x-auth-token': await keyOf(node, user_id) },
    deadlineMs: 5_000,
    ca: node.ca_certificate ?? undefined,
    verifyTls: true,
  });
  if (status !== 200) throw new Error(`the node answered ${status}`);
  const details = { site, farm_id: farm, servicepool_uuid: service };
  await run(sql.issued, [newId(), user_id, host, c.req.path, id, details]);
  const { method = 'new', ...connection } = JSON.parse(text);
  return c.json({ ...connection, method, service_id: id, farm_id: farm });
});

let key: Promise<string> | undefined;

/** One key for all requests. The portal reads and opens the stored key of each user. */
function keyOf(node: Row, userId: string): Promise<string> {
  key ??= obtainKey(node, userId);
  return key;
}

async function obtainKey({ id, name, url, ca_certificate }: Row, userId: string): Promise<string> {
  const signer = await createSigningKeys([settings.signingKey], settings.baseUrl);
  const [person] = await run(sql.person, [userId]);
  const user = {
    id: userId,
    name: person?.name,
    domain: person?.small_name,
    groups: [],
    clientIp: host,
  };
  const { token } = await createDispatchers({ transport, signer, logins: noLogins }).authorize({
    node: {
      ...{ id, name, url, kind: 'dispatcher' },
      caCertificate: ca_certificate ?? undefined,
      verifyTls: true,
      timeoutMs: 5_000,
    },
    principal: { user },
    now: new Date(),
    lifeS: 600,
    trace: { requestId: 'floor', traceparent: '' },
  });
  return token;
}

await serveFloor(app);
