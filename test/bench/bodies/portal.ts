import { randomBytes } from 'node:crypto';
import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { type Credentials, createCredentials } from '../../contract/support/credentials.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import type { Answer, SendOptions, TestPortal } from '../../support/portal.ts';
import { createBenchPortal } from '../portal/portal.ts';

/** The portal in this process, and how requests reach it. */
export type Sent = Pick<TestPortal, 'send' | 'db'> & {
  credentials: Credentials;
  newToken(): Promise<string>;
};

/** No request may be refused because of a rate limit. */
const quotas = {
  'limits.per_token_per_minute': 0,
  'limits.anonymous_per_ip_per_minute': 0,
  'lockout.max_tries': 100,
  'lockout.account_per_hour': 100_000,
  'lockout.ip_per_minute': 100_000,
  'lockout.overall_per_minute': 1_000_000,
};

/** Runs work with a portal of its own, on a new database. */
export async function onBodiesPortal<T>(work: (sent: Sent) => Promise<T>): Promise<T> {
  const database = await startPostgres();
  try {
    await migrateDatabase(database.url);
    return await onPortal(database.url, work);
  } finally {
    await database.stop();
  }
}

async function onPortal<T>(databaseUrl: string, work: (sent: Sent) => Promise<T>): Promise<T> {
  const { db, close } = connectPg({ url: databaseUrl });
  const settings = {
    databaseUrl,
    baseUrl: 'https://bench.test',
    secretKey: newSecretKey(),
    signingKey: newSigningKey(),
    adminPassword: randomBytes(18).toString('base64url'),
  };
  const log = createLog({ level: 'info', write: () => undefined });
  const { portal, deps, close: closePortal } = await createBenchPortal(settings, db, log);
  try {
    await prepareInstallation(db, deps.hasher, settings.adminPassword);
    await db
      .insert(systemParameters)
      .values(Object.entries(quotas).map(([name, value]) => ({ name, value, updated_at: new Date() })));
    const send = senderTo(portal.fetch, settings.baseUrl);
    const newToken = async (): Promise<string> => {
      const body = { username: 'admin', password: settings.adminPassword, authSmallName: 'builtin' };
      return (await send('POST /api/auth/v7.0/login', { body })).body.token;
    };
    const token = await newToken();
    return await work({
      send,
      db,
      newToken,
      credentials: await createCredentials({ send, db }, token),
    });
  } finally {
    await closePortal();
    await close();
  }
}

type Fetch = Awaited<ReturnType<typeof createBenchPortal>>['portal']['fetch'];

const senderTo =
  (fetch: Fetch, baseUrl: string) =>
  async (route: string, { token, body, headers }: SendOptions = {}): Promise<Answer> => {
    const [method = 'GET', path = ''] = route.split(' ');
    const request = new Request(baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { 'x-auth-token': token }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const client = { ip: '192.0.2.1', secure: true, loopback: false };
    const answer = await fetch(request, { client, background: (work) => void work.catch(() => undefined) });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      ...{ status: answer.status, headers: answer.headers },
      // Read on demand, because the portal does not do this work.
      get body() {
        return isJson && text ? JSON.parse(text) : text;
      },
    };
  };
