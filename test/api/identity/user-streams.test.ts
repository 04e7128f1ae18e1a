import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedChunks } from '../../../db/schema/exports/chunks.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { addDomain, addMember, base, domainsPath, usersPath, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

/** More than the buffers of both sockets. */
const chunkBytes = 262_144;
const chunks = 160;

const world = useWorld();
let serving: RunningServer;
beforeAll(async () => {
  const log = { error: () => undefined };
  const { fetch } = world.portal.portal;
  serving = await serveNode({ fetch, host: '127.0.0.1', port: 0, trustProxy: 0, log });
});
afterAll(async () => {
  await serving?.close(0);
});

/** A large export of the user, written directly to its tables. */
async function addExport(owner: Json): Promise<void> {
  const { db } = world.portal;
  const file = newId();
  const bytes = randomBytes(chunkBytes);
  for (let n = 0; n < chunks; n += 20)
    await db
      .insert(exportedChunks)
      .values(Array.from({ length: 20 }, (_, at) => ({ file, n: n + at, bytes })));
  await db.insert(exportedFiles).values({
    id: newId(),
    owner_id: owner.id,
    subject: 'tags',
    format: 'csv',
    filters: {},
    fingerprint: newId(),
    state: 'ready',
    rows: 1,
    bytes: chunks * chunkBytes,
    sha256: '0'.repeat(64),
    file,
    created_at: new Date(),
    expires_at: new Date(Date.now() + 3_600_000),
  });
}

type Download = { answer: IncomingMessage; ended: Promise<string> };

/** A download over a socket that has started; it is read on demand of the test. */
async function download(token: string): Promise<Download> {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json', 'content-length': 2 };
  const path = `${base}/tags/export`;
  const call = request({ host: '127.0.0.1', port: serving.port, method: 'POST', path, headers });
  call.end('{}');
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  const ended = new Promise<string>((resolve) => {
    answer.on('end', () => resolve('complete'));
    answer.on('error', ({ message }) => resolve(message));
  });
  return { answer, ended };
}

/** Reads too slowly for the end to arrive before the abort. */
async function readSlowly({ answer, ended }: Download): Promise<string> {
  const timer = setInterval(() => answer.read(), 20);
  return ended.finally(() => clearInterval(timer));
}

describe('a download of a user', () => {
  async function member() {
    const domain = await addDomain(world.admin);
    const one = await addMember({ ...world, domain }, ['tags.export', 'tags.read']);
    await addExport(one.user);
    return { domain, ...one };
  }

  it('is complete while the session is valid, and counts as its use', async () => {
    const { token, user } = await member();
    const { db } = world.portal;
    const long = new Date(Date.now() - 100_000);
    await db.update(loginSessions).set({ last_seen_at: long }).where(eq(loginSessions.user_id, user.id));
    const { answer, ended } = await download(token);
    const seen = async () =>
      (await db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id)))[0]?.last_seen_at;
    await expect
      .poll(async () => (await seen())?.getTime(), { timeout: 10_000 })
      .toBeGreaterThan(long.getTime());
    answer.resume();
    expect(await ended).toBe('complete');
  });

  it.each(['user', 'domain', 'session'] as const)('is aborted when the %s ends', async (what) => {
    const { domain, user, token, ask } = await member();
    const under = await download(token);
    const ends = {
      user: () => world.admin(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'inactive' }),
      domain: () => world.admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' }),
      session: () => ask('POST /api/auth/v7.0/logout'),
    };
    expect((await ends[what]()).status).toBe(200);
    expect(await readSlowly(under)).toBe('aborted');
  });
});
