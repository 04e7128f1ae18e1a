import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Knobs, ListName } from '../faults.ts';
import { readQuery } from '../input.ts';
import { type Node, nodeTime } from '../node.ts';
import type { Collection, Page } from './collection.ts';
import { lieAbout } from './paging.ts';
import type { Tag } from './rows.ts';
import { poolView, sessionView, workplaceView } from './views.ts';

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
  cursor: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
});

/** The four lists: keyset pages, changes after `since`, validators. */
export function adminLists({ state, knobs }: Node): Hono {
  const app = new Hono();
  const sent =
    <T extends object>(name: ListName, view: (row: T) => object) =>
    (row: T): unknown =>
      knobs.alter ? knobs.alter(name, { ...view(row) }) : view(row);
  app.get('/servicespools', (c) => list(c, knobs, state.pools, sent('servicespools', poolView)));
  app.get('/workplaces', (c) => list(c, knobs, state.workplaces, sent('workplaces', workplaceView)));
  app.get('/spsessions', (c) => list(c, knobs, state.sessions, sent('spsessions', sessionView)));
  app.get('/tags', (c) =>
    list(
      c,
      knobs,
      state.tags,
      sent('tags', (tag: Tag) => tag),
    ),
  );
  return app;
}

function list<Row, View>(
  c: Context,
  knobs: Knobs,
  collection: Collection<Row>,
  view: (row: Row) => View,
): Response {
  const { limit, cursor, since } = readQuery(c, ListQuery);
  const etag = knobs.etags ? validator(c.req.url, collection.version()) : undefined;
  if (etag !== undefined && c.req.header('if-none-match') === etag) return c.body(null, 304, { etag });
  const from =
    knobs.incremental && since !== undefined ? Date.parse(since) - knobs.clockSkewS * 1000 : undefined;
  const page = collection.page({ limit, cursor: knobs.cursors === null ? cursor : undefined, since: from });
  const honest = pageView(page, view, knobs);
  const shown = knobs.cursors === null ? honest : lieAbout(knobs.cursors, honest, cursor);
  return c.json(shown, 200, etag === undefined ? {} : { etag });
}

/** `as_of` is excluded: a list without changes is the same list at any time. */
const validator = (url: string, version: string): string =>
  `"${createHash('sha256').update(`${version} ${url}`).digest('base64url').slice(0, 22)}"`;

const pageView = <Row, View>(page: Page<Row>, view: (row: Row) => View, knobs: Knobs) => ({
  items: page.rows.map(view),
  next: page.next,
  as_of: nodeTime(knobs, page.as_of).toISOString(),
  ...(page.removed ? { removed: page.removed } : {}),
});
