import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { changesPath } from '../../support/http/changes.ts';
import { type LocalPortal, startWorkers, workersVariables } from '../../support/workers/local-workers.ts';

const password = 'correct horse battery staple';
let folder: string;
let database: FreshDatabase;
let portal: LocalPortal;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-workers-test-'));
  database = await freshDatabase();
  portal = await startWorkers(await workersVariables({ folder, databaseUrl: database.url, password }));
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  token = (await portal.send('POST /api/auth/v7.0/login', { body })).body.token;
});
afterAll(async () => {
  await portal?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('the changes in workerd', () => {
  // As a browser asks: a stream is preferred.
  const accept = 'text/event-stream, application/json;q=0.9';
  const poll = (after?: string, etag?: string) =>
    portal.send(`GET ${changesPath}${after === undefined ? '' : `?after=${after}`}`, {
      token,
      headers: { accept, ...(etag !== undefined && { 'if-none-match': etag }) },
    });

  it('are polled, also by a client that prefers a stream', async () => {
    const first = await poll();
    expect(first).toMatchObject({ status: 200, body: { items: [], reset: true } });
    expect(first.headers.get('content-type')).toContain('application/json');
    const idle = await poll(first.body.next);
    expect(idle.body).toEqual({ items: [], next: first.body.next, reset: false });
    const etag = idle.headers.get('etag') ?? '';
    expect((await poll(first.body.next, etag)).status).toBe(304);
    const route = 'POST /api/webui/aggregator/sites';
    const made = await portal.send(route, { token, body: { name: 'Edge', uri: 'edge' } });
    expect(made.status).toBe(201);
    const page = await vi.waitFor(
      async () => {
        const answer = await poll(first.body.next, etag);
        expect(answer.status).toBe(200);
        expect(answer.body.items).toContainEqual({ kind: 'site', id: made.body.id });
        return answer;
      },
      { timeout: 15_000, interval: 20 },
    );
    expect(page.body.reset).toBe(false);
    expect((await poll(page.body.next)).body).toEqual({ items: [], next: page.body.next, reset: false });
  });

  it('are refused without a session', async () => {
    expect((await portal.send(`GET ${changesPath}`)).status).toBe(401);
  });
});
