import { sql } from 'drizzle-orm';
import { Agent, type Dispatcher, EventSource } from 'undici';
import { expect, vi } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { startWorld } from '../factories.ts';
import type { TestPortal } from '../portal.ts';

export const changesPath = '/api/webui/aggregator/changes';

/** The form of a change in tests: `site <id>`, `snapshot <farm> workplaces`. */
const shown = ({ kind, id, list }: { kind: string; id: string | null; list?: string }): string =>
  [kind, id, list].filter((part) => part !== undefined).join(' ');

/** A stream of changes as another implementation of server-sent events reads it. */
export type Followed = {
  /** `reset`, or a change. */
  seen: string[];
  lastId(): string;
  close(): void;
  /** Number of times that the connection was lost, or ended by the portal. */
  ends(): number;
};

/** A portal with a port, because streams end with their connection. */
export async function serveChanges(portal: TestPortal) {
  const serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  const origin = `http://127.0.0.1:${serving.port}`;
  return { origin, close: () => serving.close(1_000) };
}

/** A portal with a port, whose streams of changes have these limits, and a token of its administrator. */
export async function startStreams(changeLimits: object) {
  const world = await startWorld({ changeLimits });
  const served = await serveChanges(world.portal);
  const token = await world.portal.login();
  const close = async () => {
    world.portal.deps.changes?.end();
    await served.close();
    await world.portal.close();
  };
  return { world, token, origin: served.origin, close };
}

const withHeaders =
  (headers: Record<string, string>) =>
  (dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch =>
  (options, handler) =>
    dispatch({ ...options, headers: { ...Object(options.headers), ...headers } }, handler);

/** Opens a stream with the EventSource of undici. The token is added to its requests. */
export async function follow(origin: string, token: string, after?: string): Promise<Followed> {
  const agent = new Agent();
  const query = after === undefined ? '' : `?after=${after}`;
  const source = new EventSource(`${origin}${changesPath}${query}`, {
    node: { dispatcher: agent.compose(withHeaders({ 'x-auth-token': token })) },
  });
  const seen: string[] = [];
  let [lastId, ends] = ['', 0];
  const opened = Promise.withResolvers<void>();
  source.addEventListener('open', () => opened.resolve());
  source.addEventListener('error', () => {
    ends++;
    opened.resolve();
  });
  for (const name of ['change', 'reset'])
    source.addEventListener(name, (event) => {
      const { data, lastEventId } = event as MessageEvent<string>;
      lastId = lastEventId;
      seen.push(name === 'reset' ? 'reset' : shown(JSON.parse(data)));
    });
  await opened.promise;
  if (after === undefined) await expect.poll(() => seen, patient).toContain('reset');
  return {
    seen,
    lastId: () => lastId,
    ends: () => ends,
    close: () => {
      source.close();
      void agent.destroy();
    },
  };
}

export const patient = { timeout: 15_000, interval: 20 };

/** Waits until no transaction of the server that began earlier is running, so that all changes can be read. */
export async function allReadable(db: Db): Promise<void> {
  const bound = (name: 'xmin' | 'xmax') =>
    db
      .select({ xid: sql<string>`${sql.raw(`pg_snapshot_${name}`)}(pg_current_snapshot())::text` })
      .from(sql`(values (1)) as once`)
      .then(([row]) => BigInt(row?.xid ?? 0));
  const end = await bound('xmax');
  await vi.waitFor(async () => expect((await bound('xmin')) >= end).toBe(true), patient);
}
