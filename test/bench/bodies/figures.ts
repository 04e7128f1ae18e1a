import { randomBytes } from 'node:crypto';
import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { everyOperation, type Registered } from '../../contract/generated/described.ts';
import { createGround } from '../../contract/generated/ground.ts';
import { type Credentials, createCredentials } from '../../contract/support/credentials.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import type { Answer, SendOptions, TestPortal } from '../../support/portal.ts';
import { rounded } from '../load.ts';
import { createBenchPortal } from '../portal/portal.ts';
import { longestBlock } from './blocks.ts';
import { type BodyCase, casesOf } from './cases.ts';
import { climbAll, type WorstRequest } from './climb.ts';
import { measureProvisioning, type ProvisioningFigures } from './provisioning.ts';

export type BodiesEffort = {
  /** Bodies of each operation, at most. */
  cases: number;
  /** How often the worst ones are repeated; the shortest block of each counts, because other programs only add time. */
  repeats: number;
  /** Members of the largest group of provisioning, and steps of the search for the worst change of a user. */
  members: number;
  climbs: number;
  /** Steps of the search for the worst accepted request of each operation. */
  steps: number;
};

type BodyFigure = {
  operation: string;
  /** The worst body, its bytes, and the status of its answer. */
  body: string;
  bytes: number;
  status: number;
  /** Longest time for which the request blocked the event loop. */
  block_ms: number;
  /** `JSON.parse` of the same text. */
  floor_ms: number;
};

export type BodiesFigures = {
  operations: BodyFigure[];
  worst_ms: number;
  /** The worst accepted request of each operation that a search has found, the worst first. */
  accepted: WorstRequest[];
  provisioning: ProvisioningFigures;
};

type Sent = Pick<TestPortal, 'send' | 'db'> & {
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

/** The settings of the last one would affect the others. */
const withBody = everyOperation
  // Those of SCIM have limits of their own. Forms have the same as bodies in JSON.
  .filter(({ body, form, protocol }) => body && form !== true && protocol === undefined)
  .toSorted(
    (a, b) => Number(a.id === 'systemParameters.replace') - Number(b.id === 'systemParameters.replace'),
  );

/** Sends each operation the worst bodies within its limits, in this process, and measures how long they block it. */
export async function measureBodies(effort: BodiesEffort): Promise<BodiesFigures> {
  const database = await startPostgres();
  try {
    await migrateDatabase(database.url);
    return await onPortal(database.url, async (sent) => {
      const { send, newToken, db } = sent;
      const provisioning = await measureProvisioning({ send, db, token: await newToken() }, effort);
      const operations: BodyFigure[] = [];
      for (const operation of withBody) operations.push(await measure(sent, operation, effort));
      operations.sort((a, b) => b.block_ms - a.block_ms);
      const accepted = await climbAll(sent, effort);
      return { operations, worst_ms: operations[0]?.block_ms ?? 0, accepted, provisioning };
    });
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

async function measure(
  sent: Sent,
  operation: Registered,
  { cases: most, repeats }: BodiesEffort,
): Promise<BodyFigure> {
  const token = await sent.newToken();
  const ground = await createGround(sent, token).of(operation);
  const send = async ({ name, write }: BodyCase): Promise<Sample> => {
    const text = write();
    const headers = sent.credentials.of(operation);
    const request = () => sent.send(`${operation.method} ${ground.path}`, { token, headers, body: text });
    const { block, result } = await longestBlock(request);
    if (result.status === 200) await sent.credentials.renew(operation);
    return { name, block, status: result.status, bytes: Buffer.byteLength(text), floor: floorOf(text) };
  };
  const all = [...casesOf(operation, ground.body ?? {}, bodyLimitOf(operation))];
  const some = all.filter((_, at) => at % Math.ceil(all.length / most) === 0);
  const first: (Sample & { again: () => Promise<Sample> })[] = [];
  for (const one of some) first.push({ ...(await send(one)), again: () => send(one) });
  const slowest = first.toSorted((a, b) => b.block - a.block).slice(0, 4);
  const typical: Sample[] = [];
  for (const { again } of slowest) typical.push(await least(again, repeats));
  const { name, block, floor, ...worst } = typical.reduce((a, b) => (b.block > a.block ? b : a));
  return {
    operation: operation.id,
    body: name,
    ...worst,
    block_ms: rounded(block, 2),
    floor_ms: rounded(floor, 2),
  };
}

type Sample = { name: string; block: number; floor: number; status: number; bytes: number };

/** The minimum of several: other programs on the machine only add time. */
async function least(sample: () => Promise<Sample>, repeats: number): Promise<Sample> {
  const samples: Sample[] = [];
  while (samples.length < repeats) samples.push(await sample());
  const [best] = samples.toSorted((a, b) => a.block - b.block);
  if (!best) throw new Error('nothing was repeated');
  return { ...best, floor: Math.min(...samples.map(({ floor }) => floor)) };
}

function floorOf(text: string): number {
  const started = performance.now();
  JSON.parse(text);
  return performance.now() - started;
}
