import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parsePosition } from '../../../db/replica/position.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { type CountingProxy, startCountingProxy } from '../../support/database/counting-proxy.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { addMember, adminOf, base, startWorld, unique, type World } from '../../support/factories.ts';
import type { Answer, TestPortal } from '../../support/portal.ts';
import { type Replicated, startReplicated } from '../../support/replication/replicated.ts';
import { requireService } from '../../support/services.ts';

const header = 'x-consistency-token';
const path = `${base}/tags?limit=100&sort=-created_at`;
const patient = { timeout: 30_000 };

/** A portal with a replica, and two administrators of tags who are remembered by it. */
type Stand = {
  world: World;
  portal: TestPortal;
  writer: string;
  reader: string;
  /** Between the portal and the standby. */
  proxy: CountingProxy;
  close(): Promise<void>;
};

async function startStand(
  replicated: Replicated,
  driver: Driver,
  options: { replicaUrl?: string; oldestMs?: number; aheadS?: number } = {},
): Promise<Stand> {
  const proxy = await startCountingProxy(replicated.onStandby(replicated.database.url), { delayMs: 0 });
  const world = await startWorld({
    driver,
    database: replicated.database,
    replicaUrl: proxy.url,
    // Longer than the replica needs to go on, on a busy machine as well.
    replicaPatienceMs: 3_000,
    ...options,
  });
  const { portal } = world;
  // For the database, earlier writes are then not recent.
  portal.advance(options.aheadS ?? -60);
  const permissions = ['tags.read', 'tags.create', 'tags.update', 'tags.delete'];
  const admin = { ...world, admin: adminOf(world) };
  const [{ token: writer }, { token: reader }] = [
    await addMember(admin, permissions),
    await addMember(admin, permissions),
  ];
  await replicated.caughtUp();
  for (const token of [writer, reader]) await portal.send(`GET ${path}`, { token });
  portal.advance(6);
  return { world, portal, writer, reader, proxy, close: () => portal.close().then(() => proxy.close()) };
}

const namesIn = ({ body }: Answer): string[] => body.items.map(({ name }: { name: string }) => name);

requireService('PostgreSQL', findBinaries() !== undefined)('read replicas', () => {
  let replicated: Replicated;
  beforeAll(async () => {
    replicated = await startReplicated();
  }, 60_000);
  afterAll(() => replicated?.stop());
  beforeEach(() => replicated.resume());

  describe.each<Driver>(['pg', 'neon'])('by the driver %s', (driver) => {
    let stand: Stand;
    beforeAll(async () => {
      await replicated.resume();
      stand = await startStand(replicated, driver);
    }, 60_000);
    afterAll(() => stand?.close());

    const list = async (token: string, headers: Record<string, string> = {}): Promise<string[]> =>
      namesIn(await stand.portal.send(`GET ${path}`, { token, headers }));
    const create = async (token: string): Promise<{ name: string; headers: Record<string, string> }> => {
      const name = unique('tag');
      const { status, headers } = await stand.portal.send(`POST ${base}/tags`, { token, body: { name } });
      expect(status).toBe(201);
      const consistency = headers.get(header);
      return { name, headers: consistency === null ? {} : { [header]: consistency } };
    };

    it('answer lists, in the one round trip of the session lookup', async () => {
      const { portal, writer, reader, proxy } = stand;
      await replicated.pause();
      const { name } = await create(writer);
      const [before, replica] = [portal.trips(), proxy.trips()];
      expect(await list(reader)).not.toContain(name);
      expect(portal.trips() - before).toBe(1);
      expect(proxy.trips()).toBeGreaterThan(replica);
      await replicated.resume();
      await replicated.caughtUp();
      expect(await list(reader)).toContain(name);
    });

    it('answer nothing for a session that has ended on the primary', async () => {
      const { portal, world } = stand;
      const { token } = await addMember({ ...world, admin: adminOf(world) }, ['tags.read']);
      await replicated.caughtUp();
      await portal.send(`GET ${path}`, { token });
      await replicated.pause();
      expect((await portal.send('POST /api/auth/v7.0/logout', { token })).status).toBeLessThan(300);
      expect((await portal.send(`GET ${path}`, { token })).status).toBe(401);
    });

    it('do not answer single objects, sessions and what a write depends on', async () => {
      const { portal, writer, proxy } = stand;
      const { body } = await portal.send(`GET ${path}`, { token: writer });
      const before = proxy.trips();
      const item = `${base}/tags/${body.items[0].id}`;
      const got = await portal.send(`GET ${item}`, { token: writer });
      await portal.send('GET /api/userinfo/sessions', { token: writer });
      await portal.send(`PATCH ${item}`, { token: writer, body: { description: unique('note') } });
      expect([got.status, proxy.trips() - before]).toEqual([200, 0]);
    });

    it('are not asked by a session that has just written, and asked again after five seconds', async () => {
      const { portal, writer, proxy } = stand;
      await replicated.pause();
      const { name } = await create(writer);
      const [before, replica] = [portal.trips(), proxy.trips()];
      expect(await list(writer)).toContain(name);
      expect([portal.trips() - before, proxy.trips() - replica]).toEqual([1, 0]);
      portal.advance(5);
      expect(await list(writer)).not.toContain(name);
    });

    it('do not count for a user who has just written in another process', async () => {
      const other = await startStand(replicated, driver, { aheadS: 0 });
      try {
        await replicated.pause();
        const name = unique('tag');
        const [here, there] = [other.portal.isolate(), other.portal.isolate()];
        const token = other.writer;
        for (const send of [here, there]) await send(`GET ${path}`, { token });
        expect((await here(`POST ${base}/tags`, { token, body: { name } })).status).toBe(201);
        expect(namesIn(await there(`GET ${path}`, { token }))).toContain(name);
      } finally {
        await other.close();
      }
    });

    if (driver === 'pg') {
      it('answer a read with the token of a write when they have replayed it', async () => {
        const { portal, writer, reader } = stand;
        const { name, headers } = await create(writer);
        await replicated.caughtUp();
        const before = portal.trips();
        expect(await list(reader, headers)).toContain(name);
        expect(portal.trips() - before).toBe(1);
      });

      it('are waited for by a read with the token of a write', async () => {
        const { portal, writer, reader } = stand;
        await replicated.pause();
        const { name, headers } = await create(writer);
        const before = portal.trips();
        const [names] = await Promise.all([list(reader, headers), replicated.resume()]);
        expect(names).toContain(name);
        // Otherwise the primary would have answered.
        expect(portal.trips() - before).toBe(1);
      });

      it('are not waited for longer: the primary answers', async () => {
        const { portal, writer, reader } = stand;
        await replicated.pause();
        const { name, headers } = await create(writer);
        const before = portal.trips();
        expect(await list(reader, headers)).toContain(name);
        expect(portal.trips() - before).toBe(2);
      });

      it('ignore the token of another installation, or an altered one', async () => {
        const { reader, writer } = stand;
        const { headers } = await create(writer);
        const token = `${headers[header]}x`;
        const { status } = await stand.portal.send(`GET ${path}`, {
          token: reader,
          headers: { [header]: token },
        });
        expect(status).toBe(200);
      });

      it.each<[string, string, object | undefined, number]>([
        ['a change with Idempotency-Key', 'POST', {}, 201],
        ['a deletion', 'DELETE', undefined, 204],
      ])('%s returns a token, a refusal none', async (_, method, body, status) => {
        const { portal, writer: token } = stand;
        const tag = await portal.send(`POST ${base}/tags`, { token, body: { name: unique('tag') } });
        const target = method === 'POST' ? `${base}/tags` : `${base}/tags/${tag.body.id}`;
        const headers = { 'idempotency-key': unique('key') };
        const options = { token, ...(body ? { body: { name: unique('tag') }, headers } : {}) };
        const written = await portal.send(`${method} ${target}`, options);
        expect([written.status, written.headers.get(header)]).toEqual([status, expect.any(String)]);
        const refused = await portal.send(`POST ${base}/tags`, { token, body: {} });
        expect([refused.status, refused.headers.get(header)]).toEqual([422, null]);
      });

      it('whatever the delay, a list with the token contains the write', async () => {
        const { writer, reader } = stand;
        const written: string[] = [];
        let last: Record<string, string> = {};
        const step = fc.constantFrom('write', 'read', 'pause', 'resume');
        const act = {
          write: async () => {
            const { name, headers } = await create(writer);
            written.push(name);
            last = headers;
          },
          read: async () =>
            expect(await list(reader, last)).toEqual(expect.arrayContaining(written.slice(-90))),
          pause: () => replicated.pause(),
          resume: () => replicated.resume(),
        };
        const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
          for (const one of steps) await act[one]();
          await act.read();
        });
        await fc.assert(property, { numRuns: 25 });
        await replicated.resume();
      }, 60_000);
    } else {
      it('give no token, because a position cannot be read after the commit of an HTTP request', async () => {
        expect((await create(stand.writer)).headers).toEqual({});
      });
    }
  });

  it('whose data are too old are not used until they have caught up, which is logged once', async () => {
    const { portal, writer, reader, close } = await startStand(replicated, 'pg', { oldestMs: 300 });
    const messages = () => portal.log.filter(({ message }) => String(message).includes('read replica'));
    try {
      await replicated.pause();
      const list = async () => namesIn(await portal.send(`GET ${path}`, { token: reader }));
      const name = unique('tag');
      await portal.send(`POST ${base}/tags`, { token: writer, body: { name } });
      await expect.poll(list, patient).toContain(name);
      const logged = async () => (await list()) && messages();
      const behind = { message: 'the read replica is not used', replica: 'behind' };
      await expect.poll(logged, patient).toEqual([behind]);
      await replicated.resume();
      const used = { message: 'the read replica is used again' };
      await expect.poll(logged, patient).toContainEqual(used);
    } finally {
      await close();
    }
  });

  it('whose last transaction is old may be behind by milliseconds, without an entry in the log', async () => {
    const { portal, writer, reader, close } = await startStand(replicated, 'pg', { oldestMs: 2_000 });
    try {
      await replicated.pause();
      // Nothing is replayed meanwhile.
      await replicated.ageBeyond(2_000);
      const name = unique('tag');
      await portal.send(`POST ${base}/tags`, { token: writer, body: { name } });
      expect(namesIn(await portal.send(`GET ${path}`, { token: reader }))).toContain(name);
      await replicated.resume();
      await replicated.caughtUp();
      await portal.send(`GET ${path}`, { token: reader });
      expect(portal.log.filter(({ message }) => String(message).includes('read replica'))).toEqual([]);
    } finally {
      await close();
    }
  });

  it('that do not answer are replaced by the primary', async () => {
    const { portal, writer, reader, proxy, close } = await startStand(replicated, 'pg');
    try {
      await proxy.close();
      const name = unique('tag');
      await portal.send(`POST ${base}/tags`, { token: writer, body: { name } });
      for (const _ of [1, 2]) {
        const answer = await portal.send(`GET ${path}`, { token: reader });
        expect([answer.status, namesIn(answer)]).toEqual([200, expect.arrayContaining([name])]);
      }
      expect(portal.log).toContainEqual(expect.objectContaining({ replica: 'unreachable' }));
    } finally {
      await close();
    }
  });

  it('that hang delay one read by two seconds, and then none', async () => {
    const frozen = await startFreezableProxy(replicated.onStandby(replicated.database.url));
    const { portal, writer, reader, close } = await startStand(replicated, 'pg', { replicaUrl: frozen.url });
    const list = async () => namesIn(await portal.send(`GET ${path}`, { token: reader }));
    try {
      const name = unique('tag');
      await portal.send(`POST ${base}/tags`, { token: writer, body: { name } });
      frozen.freeze();
      expect(await list()).toContain(name);
      expect(portal.log).toContainEqual(expect.objectContaining({ replica: 'unreachable' }));
      expect(await list()).toContain(name);
    } finally {
      frozen.thaw();
      await close();
      await frozen.close();
    }
  });

  it('that are not standbys of the database are not used', async () => {
    const { portal, reader, close } = await startStand(replicated, 'pg', {
      replicaUrl: replicated.database.url,
    });
    try {
      expect((await portal.send(`GET ${path}`, { token: reader })).status).toBe(200);
      expect(portal.log).toContainEqual(expect.objectContaining({ replica: 'not a standby' }));
    } finally {
      await close();
    }
  });

  it('that have replayed a record at the end of a page of the log have everything', async () => {
    const { primary, standbyAdmin } = replicated;
    const one = async (client: pg.Client, statement: string): Promise<string> =>
      (await client.query<{ value: string }>(`select (${statement})::text as value`)).rows[0]?.value ?? '';
    const written = () => one(primary.admin, 'pg_current_wal_insert_lsn()');
    const replayed = () => one(standbyAdmin, 'pg_last_wal_replay_lsn()');
    const offset = (text: string): number => Number.parseInt(text.split('/')[1] ?? '', 16) % 8_192;
    // A message of 1,000 characters shows how many bytes are added to its text.
    const emit = (length: number) =>
      one(primary.admin, `pg_logical_emit_message(false, '', repeat('x', ${length}))`);
    const isAtEnd = async (): Promise<boolean> => {
      await emit(8_192 - (offset(await written()) % 4_096));
      const before = offset(await written());
      await emit(1_000);
      const added = offset(await written()) - before - 1_000;
      await emit(8_192 - offset(await written()) - added);
      return offset(await written()) === 24;
    };
    await expect.poll(isAtEnd, patient).toBe(true);
    await expect.poll(async () => offset(await replayed()), patient).toBe(0);
    expect(parsePosition(await replayed())).toBe(parsePosition(await written()));
  });
});
