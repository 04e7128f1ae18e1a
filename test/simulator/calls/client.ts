import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { Reconnect } from '../bodies.ts';
import { lieAbout, malformedCursor } from '../data/paging.ts';
import type { Pool, WorkplaceSession } from '../data/rows.ts';
import { liveSessions, renewTicket } from '../data/sessions.ts';
import type { DispatcherState } from '../data/state.ts';
import { readBody, readQuery } from '../input.ts';
import type { Node } from '../node.ts';
import { unknownRow } from '../refusal.ts';
import { type Caller, connect, isEntitled, preconnect, serviceView } from './connections.ts';

const ServicesQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
  cursor: z.string().optional(),
});
const ConnectionQuery = z.object({
  protocol: z.string().optional(),
  client_version: z.string().optional(),
  hostname: z.string().optional(),
  reconnect: z.string().optional(),
});

/** The calls made for a user, with a session key of that user. */
export function clientCalls({ state, authentication, knobs }: Node): Hono {
  const app = new Hono();
  const callerOf = (c: Context): Caller => authentication.holder(c.req.header('x-auth-token'), 'user').caller;

  app.get('/services', (c) => {
    const query = readQuery(c, ServicesQuery);
    if (knobs.cursors === null) {
      const { items, next } = listServices(state, callerOf(c), query);
      const { alter } = knobs;
      return c.json({ items: alter ? items.map((item) => alter('services', { ...item })) : items, next });
    }
    const first = listServices(state, callerOf(c), { ...query, cursor: undefined });
    return c.json(lieAbout(knobs.cursors, first, query.cursor));
  });
  app.get('/preconnectionInfo/:uuid', (c) => {
    const caller = callerOf(c);
    const pool = poolFor(state, caller, c.req.param('uuid'));
    return c.json(preconnect(state, pool, caller, readQuery(c, ConnectionQuery)));
  });
  app.get('/connectionInfo/:uuid', (c) => {
    const caller = callerOf(c);
    const pool = poolFor(state, caller, c.req.param('uuid'));
    const query = readQuery(c, ConnectionQuery);
    if (query.reconnect !== undefined) {
      sessionFor(
        state,
        caller,
        ({ ticket, workplace }) => ticket === query.reconnect && workplace.pool === pool,
      );
    }
    return c.json(connect(state, pool, caller, query));
  });
  app.post('/reconnect/', async (c) => {
    const caller = callerOf(c);
    const { session_uuid } = await readBody(c, Reconnect);
    const session = sessionFor(state, caller, (one) => one.session_uuid === session_uuid);
    const { host } = new URL(c.req.url);
    const path = `/api/client/v7.0/connectionInfo/${session.workplace.pool.uuid}`;
    const link = `${knobs.linkStart ?? `udss://${host}`}${path}?reconnect=${renewTicket(session)}`;
    return c.json({ link, expires_in: 60, session_uuid });
  });
  return app;
}

function listServices(
  state: DispatcherState,
  caller: Caller,
  { limit, cursor }: z.infer<typeof ServicesQuery>,
) {
  const sessions = liveSessions(state, caller);
  const visible = state.pools.all().filter((pool) => pool.visible && isEntitled(pool, caller));
  const start = cursor === undefined ? 0 : visible.findIndex(({ uuid }) => uuid === cursor);
  if (start < 0) throw malformedCursor();
  const items = visible.slice(start, start + limit).map((pool) => serviceView(pool, sessions));
  return { items, next: visible[start + limit]?.uuid ?? null };
}

/** @throws Refusal 404, also for a pool that the caller has no right to */
function poolFor(state: DispatcherState, caller: Caller, uuid: string): Pool {
  const pool = state.pools.get(uuid);
  if (!(pool && isEntitled(pool, caller))) throw unknownRow();
  return pool;
}

/** @throws Refusal 404, also for a session of another user */
function sessionFor(
  state: DispatcherState,
  caller: Caller,
  isWanted: (session: WorkplaceSession) => boolean,
): WorkplaceSession {
  const session = liveSessions(state, caller).find(isWanted);
  if (!session) throw unknownRow();
  return session;
}
