import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Hono } from 'hono';
import { Client } from 'ldapts';
import { createSemaphore } from '../../../shared/kernel/concurrency/semaphore.ts';
import { passwordOf } from '../../support/directories/entries.ts';
import { reader, suffix } from '../../support/directories/slapd.ts';
import { serveFloor } from './serve.ts';

/** The floor of logins: what their proof costs, without database, locks, session and audit event. */
const { directoryUrl = '' }: { directoryUrl?: string } = JSON.parse(process.argv[2] ?? '{}');
const app = new Hono();
const turn = createSemaphore(1);

/** The directory requests of a login, by the same client in the same order. */
app.post('/floor/login-by-directory', async (c) => {
  const client = new Client({ url: directoryUrl });
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

/** One hash of the same cost, with the concurrency of the portal. */
app.post('/api/auth/v7.0/login', async (c) => {
  const { password } = await c.req.json();
  const options = { N: 2 ** 14, r: 8, p: 5, maxmem: 2 ** 25 };
  const key = await turn(() =>
    promisify<string, Buffer, number, object, Buffer>(scrypt)(password, randomBytes(16), 32, options),
  );
  return c.json({ token: key.toString('base64url') });
});

await serveFloor(app);
