import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Context, Hono } from 'hono';
import { Client } from 'ldapts';
import { connectPg } from '../../../db/pg.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import { findOwnAccount } from '../../../db/repositories/identity/own-account.ts';
import type { FarmNode } from '../../../db/repositories/sites/farm-nodes.ts';
import { findUserSite } from '../../../db/repositories/sites/user-site.ts';
import { findPrincipal } from '../../../shared/access/session.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import { createSemaphore } from '../../../shared/kernel/concurrency/semaphore.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { passwordOf } from '../../support/directories/entries.ts';
import { reader, suffix } from '../../support/directories/slapd.ts';
import { tellReady } from '../child-process.ts';
import { type Settings, sameForBoth } from '../settings.ts';

/**
 * The floor: the same responses on the same server, driver, pool and transport without the layers of the portal:
 * registry, guard, validation, trace, log, sealing and routing between nodes.
 */
const settings: Settings = JSON.parse(process.argv[2] ?? '{}');
const { outbound, host, trustProxy } = sameForBoth;
const { db } = connectPg({ url: settings.databaseUrl });
const transport = createNodeTransport(outbound);
const app = new Hono();
const turn = createSemaphore(1);

app.get('/api/userinfo', async (c) => {
  const principal = await signedIn(c);
  const { user, domain, session, roles } = principal;
  const account = await findOwnAccount(db, whoOf(principal));
  return c.json({ ...user, domain, session, roles, ...account });
});

app.get('/aggregator/api/client/v7.0/:site/connectionInfo/:id', async (c) => {
  const principal = await signedIn(c);
  const site = await findUserSite(db, { uri: c.req.param('site'), who: whoOf(principal), held: 0 });
  const address = site?.topology?.nodes[0];
  const condition = site?.conditions[0];
  const node = address && condition && { ...address, ...condition };
  if (!node) return c.notFound();
  const pool = c.req.param('id').split('.')[1];
  const { text } = await transport.send({
    method: 'GET',
    url: `${node.url}/api/client/v7.0/connectionInfo/${pool}`,
    headers: { 'x-auth-token': await keyOf(node, principal) },
    deadlineMs: 5_000,
    ca: node.ca_certificate ?? undefined,
    verifyTls: true,
  });
  await appendAudit(db, eventOf(principal));
  return c.json(JSON.parse(text));
});

/** The directory requests of a login, by the same client in the same order. */
app.post('/floor/login-by-directory', async (c) => {
  const client = new Client({ url: settings.directoryUrl ?? '' });
  const { bind_dn, bind_password } = reader;
  await client.bind(bind_dn, bind_password);
  const people = await client.search(suffix, {
    filter: '(&(objectClass=inetOrgPerson)(uid=alice))',
    sizeLimit: 2,
  });
  await client.bind(people.searchEntries[0]?.dn ?? '', passwordOf('alice'));
  await client.bind(bind_dn, bind_password);
  const filter = '(&(objectClass=posixGroup)(memberUid=alice))';
  const groups = await client.search(suffix, { filter, attributes: ['cn'], paged: { pageSize: 500 } });
  await client.unbind();
  return c.json(groups.searchEntries);
});

/** The necessary part of a login: one hash of the same cost, with the concurrency of the portal. */
app.post('/api/auth/v7.0/login', async (c) => {
  const { password } = await c.req.json();
  const options = { N: 2 ** 14, r: 8, p: 5, maxmem: 2 ** 25 };
  const key = await turn(() =>
    promisify<string, Buffer, number, object, Buffer>(scrypt)(password, randomBytes(16), 32, options),
  );
  return c.json({ token: key.toString('base64url') });
});

async function signedIn(c: Context): Promise<UserPrincipal> {
  const found = await findPrincipal(db, c.req.header('x-auth-token') ?? '', new Date(), 'universal');
  if (found?.principal.kind !== 'user') throw new Error('the token is not that of a user');
  return found.principal;
}

const whoOf = ({ user, domain }: UserPrincipal) => ({ userId: user.id, domainId: domain.id });

let key: Promise<string> | undefined;

/** Read once: finding, opening and checking the stored key is a cost of the portal. */
function keyOf(node: FarmNode, principal: UserPrincipal): Promise<string> {
  key ??= obtainKey(node, principal);
  return key;
}

async function obtainKey(stored: FarmNode, { user, domain }: UserPrincipal): Promise<string> {
  const signer = await createSigningKeys([settings.signingKey], settings.baseUrl);
  const node = {
    id: stored.id,
    kind: stored.kind,
    name: stored.name,
    url: stored.url,
    caCertificate: stored.ca_certificate ?? undefined,
    verifyTls: true,
    timeoutMs: 5_000,
  };
  const principal = { user: { ...user, domain: domain.label, groups: [], clientIp: host } };
  const trace = { requestId: 'floor', traceparent: '' };
  const request = { node, principal, now: new Date(), lifeS: 600, trace };
  return (await createDispatchers({ transport, signer }).authorize(request)).token;
}

const eventOf = ({ user, domain, portal }: UserPrincipal): AuditEntry => ({
  id: newId(),
  at: new Date(),
  event: 'aggregator.ConnectionIssued',
  category: 'workplace',
  level: 'info',
  result: 'success',
  user_name: user.name,
  user_id: user.id,
  domain: domain.label,
  portal,
  source_ip: host,
  method: 'GET',
  details: { floor: true },
});

const { port } = await serveNode({
  fetch: (request) => app.fetch(request),
  host,
  port: 0,
  trustProxy,
  log: { error: console.error },
});
tellReady({ url: `http://${host}:${port}` });
