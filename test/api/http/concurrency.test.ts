import { describe, expect, it } from 'vitest';
import {
  addDispatcher,
  addFarm,
  addSite,
  addUser,
  adminOf,
  audited,
  base,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const many = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

/** Reads, changes and writes with If-Match until there is no conflict. */
async function patchCarefully(one: string, change: (current: Json) => object): Promise<void> {
  for (;;) {
    const { body, headers } = await admin(`GET ${one}`);
    const { status } = await admin(`PATCH ${one}`, change(body), { 'if-match': headers.get('etag') ?? '' });
    if (status === 200) return;
    expect(status).toBe(412);
  }
}

describe('concurrent writes of one object', () => {
  it('with If-Match and retries lose none of twenty changes', async () => {
    const site = await addSite(admin);
    const one = `${base}/sites/${site.id}`;
    await many(20, (n) => patchCarefully(one, ({ comments }) => ({ comments: `${comments} ${n}` })));
    const { body, headers } = await admin(`GET ${one}`);
    const seen = body.comments.trim().split(' ').map(Number);
    expect(seen.sort((a: number, b: number) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(headers.get('etag')).toMatch(/^"21\./);
  });

  it('with the same If-Match succeed exactly once', async () => {
    const farm = await addFarm(admin, world.site);
    const one = `${base}/farms/${farm.id}`;
    const etag = (await admin(`GET ${one}`)).headers.get('etag') ?? '';
    const answers = await many(12, (n) =>
      admin(`PATCH ${one}`, { comments: String(n) }, { 'if-match': etag }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(11);
  });

  it('without If-Match all succeed, and none overwrites the change of another', async () => {
    const site = await addSite(admin);
    const one = `${base}/sites/${site.id}`;
    const { result, events } = await audited(world.portal, () =>
      many(30, (n) => admin(`PATCH ${one}`, n % 2 ? { comments: `noted ${n}` } : { priority: 100 + n })),
    );
    expect(result.map(({ status }) => status)).toEqual(Array(30).fill(200));
    const { body, headers } = await admin(`GET ${one}`);
    expect(headers.get('etag')).toMatch(/^"31\./);
    expect(body.comments).toMatch(/^noted \d+$/);
    expect(body.priority).toBeGreaterThanOrEqual(100);
    expect(events).toHaveLength(30);
    for (const field of ['comments', 'priority']) {
      const changes = events.flatMap((event) => event.changes.filter((change) => change.field === field));
      expect(new Set(changes.map(({ before }) => before)).size, `each ${field} was replaced once`).toBe(15);
    }
  });

  it('of a user, which take locks, do not block one another', async () => {
    const user = await addUser(admin, world.domain);
    const one = `${usersPath(world.domain)}/${user.id}`;
    const answers = await many(10, (n) =>
      admin(`PATCH ${one}`, n % 2 ? { comments: String(n) } : { real_name: String(n) }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('and concurrent deletions of it delete it once', async () => {
    const farm = await addFarm(admin, world.site);
    const one = `${base}/farms/${farm.id}`;
    const { result, events } = await audited(world.portal, () =>
      many(8, (n) => (n % 2 ? admin(`DELETE ${one}`) : admin(`PATCH ${one}`, { comments: String(n) }))),
    );
    const statuses = result.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    for (const status of statuses) expect([200, 204, 404, 412]).toContain(status);
    expect(events.filter(({ action }) => action === 'delete')).toHaveLength(1);
  });
});

describe('concurrent bulk deletions', () => {
  it('of the same rows delete each row once', async () => {
    const farm = await addFarm(admin, world.site);
    const nodes = await many(10, () => addDispatcher(admin, farm));
    const ids = nodes.map(({ id }) => id);
    const answers = await many(4, () => admin(`POST ${base}/dispatchers/bulk_destroy`, { ids }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.reduce((sum, { body }) => sum + body.deleted_count, 0)).toBe(10);
  });
});

describe('concurrent changes and deletions of one user', () => {
  it('never fail because of the database', async () => {
    for (let round = 0; round < 15; round++) {
      const user = await addUser(admin, world.domain);
      const one = `${usersPath(world.domain)}/${user.id}`;
      const answers = await Promise.all([
        admin(`PATCH ${one}`, { comments: 'a' }),
        admin(`DELETE ${one}`),
        admin(`PATCH ${one}`, { comments: 'b' }),
        admin(`POST ${usersPath(world.domain)}/bulk_destroy`, { ids: [user.id] }),
      ]);
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBeLessThan(500);
    }
  });
});
