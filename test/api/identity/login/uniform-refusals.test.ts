import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPortal, type Portal } from '../../../../functions/portal.ts';
import {
  addDomain,
  addUser,
  domainsPath,
  goodPassword,
  unique,
  useWorld,
} from '../../../support/factories.ts';
import { baseUrl } from '../../../support/portal.ts';

const world = useWorld();
let portal: Portal;
let pool: pg.Pool;
const statements: string[] = [];
const hashes: string[] = [];

/** The same portal, with every statement and hash recorded. */
beforeAll(async () => {
  const { deps, databaseUrl } = world.portal;
  pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const db = drizzle({ client: pool, logger: { logQuery: (text) => void statements.push(text) } });
  const { hasher } = deps;
  portal = createPortal({
    ...deps,
    db,
    hasher: {
      ...hasher,
      hash: (...given) => hasher.hash(...given).finally(() => hashes.push('hash')),
      verify: (...given) => hasher.verify(...given).finally(() => hashes.push('verify')),
    },
  });
});
afterAll(async () => {
  await pool.end();
});

/** The cost and the response of a login; neither may reveal why it was refused. */
async function costOf(body: Record<string, string>) {
  const later: Promise<unknown>[] = [];
  const invocation = {
    client: { ip: '127.0.0.1', secure: true, loopback: false },
    background: (work: Promise<unknown>) => void later.push(work),
  };
  const login = async () => {
    statements.splice(0);
    hashes.splice(0);
    const request = new Request(`${baseUrl}/api/auth/v7.0/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'x', password: goodPassword, ...body }),
    });
    const answer = await portal.fetch(request, invocation);
    await Promise.all(later.splice(0));
    return answer;
  };
  // The first request after a while also reads the system parameters for rate limits.
  await login();
  const answer = await login();
  const { instance: _, ...document } = JSON.parse(await answer.text());
  const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id');
  // The sidecar is notified at most once in a while, whatever the statement is.
  const asked = statements.map((text) => text.replace(/ returning pg_notify\(.*\)$/, ''));
  return { status: answer.status, document, headers, statements: asked, hashes: [...hashes] };
}

it('refused logins of an internal domain have one answer, one hash and the same statements for every cause', async () => {
  const { admin, domain } = world;
  const disabled = await addDomain(admin);
  const [user, inactive, ofDisabled] = [
    await addUser(admin, domain),
    await addUser(admin, domain, { state: 'inactive' }),
    await addUser(admin, disabled),
  ];
  const service = await addUser(admin, domain, { kind: 'service', password: null });
  await admin(`PATCH ${domainsPath}/${disabled.id}`, { state: 'disabled' });
  const authId = domain.id;
  const wrong = await costOf({ authId, username: user.name, password: 'a wrong guess' });
  expect(wrong).toMatchObject({ status: 401, document: { code: 'invalid_credentials' }, hashes: ['verify'] });
  const others = {
    'unknown user': { authId, username: unique('nobody') },
    'inactive user': { authId, username: inactive.name },
    service: { authId, username: service.name },
    'disabled domain': { authId: disabled.id, username: ofDisabled.name },
    'unknown domain id': { authId: '01900000-0000-7000-8000-000000000000' },
    'unreadable domain id': { authId: 'no-uuid' },
    'unknown domain name': { auth: unique('nowhere') },
  };
  for (const [name, body] of Object.entries(others)) {
    const { statements: asked, ...cost } = await costOf(body);
    const { statements: expected, ...alike } = wrong;
    expect({ name, ...cost }).toEqual({ name, ...alike });
    // The caller selects the column by which a domain is looked up.
    expect({ name, statements: asked.slice(1) }).toEqual({ name, statements: expected.slice(1) });
  }
});
