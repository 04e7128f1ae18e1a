import { expect, it, vi } from 'vitest';
import { addSite, base, startWorld, useStand } from '../../support/factories.ts';
import { changesPath, follow, patient, serveChanges } from '../../support/http/changes.ts';

const stand = useStand(async () => {
  const world = await startWorld();
  const served = await serveChanges(world.portal);
  const token = await world.portal.login();
  return {
    world,
    token,
    origin: served.origin,
    close: async () => {
      world.portal.deps.changes?.end();
      await served.close();
      await world.portal.close();
    },
  };
});

it('announces what is created, changed and deleted', async () => {
  const { world, origin, token } = stand;
  const stream = await follow(origin, token);
  const site = await addSite(world.admin);
  await expect.poll(() => stream.seen, patient).toContain(`site ${site.id}`);
  stream.seen.length = 0;
  await world.admin(`PATCH ${base}/sites/${site.id}`, { comments: 'new' });
  await expect.poll(() => stream.seen, patient).toContain(`site ${site.id}`);
  stream.seen.length = 0;
  await world.admin(`DELETE ${base}/sites/${site.id}`);
  await expect.poll(() => stream.seen, patient).toContain(`site ${site.id}`);
  stream.close();
});

it('answers polls', async () => {
  const { world } = stand;
  const first = await world.admin(`GET ${changesPath}`);
  expect(first.body).toMatchObject({ items: [], reset: true });
  const site = await addSite(world.admin);
  // A change is returned as soon as no transaction that began before it is open, in any database of the server.
  const second = await vi.waitFor(
    async () => {
      const page = await world.admin(`GET ${changesPath}?after=${first.body.next}`);
      expect(page.body).toMatchObject({ items: [{ kind: 'site', id: site.id }], reset: false });
      return page;
    },
    { timeout: 15_000 },
  );
  const third = await world.admin(`GET ${changesPath}?after=${second.body.next}`);
  expect(third.body).toEqual({ items: [], next: second.body.next, reset: false });
  const same = await world.admin(`GET ${changesPath}?after=${second.body.next}`, undefined, {
    'if-none-match': third.headers.get('etag') ?? '',
  });
  expect(same.status).toBe(304);
});
