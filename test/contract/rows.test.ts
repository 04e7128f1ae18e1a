import { describe, expect, it } from 'vitest';
import { createHealthApp } from '../../functions/health/app.ts';
import type { HealthDeps } from '../../functions/health/deps.ts';
import { moduleOf } from '../../shared/modules.ts';
import { createLog } from '../../shared/runtime/log.ts';
import { everyOperation as operations } from './generated/described.ts';
import { accessFor, added, addressOf, rows, specified } from './rows.ts';

const served = new Map(operations.map((operation) => [addressOf(operation), operation]));
const named = rows.map((row) => ({ ...row, row: `${row.method} ${row.path}` }));
const ofPortal = named.filter(({ module }) => module !== 'health');

describe('the rows of the contract', () => {
  it('is complete', () => {
    expect(specified).toHaveLength(154);
    expect(added).toHaveLength(210);
    expect(new Set(rows.map(addressOf)).size).toBe(rows.length);
  });

  it.each(ofPortal)('$row is served with access "$access"', (row) => {
    const operation = served.get(addressOf(row));
    expect(operation?.access).toBe(accessFor(row));
    expect(operation?.module).toBe(row.module);
    expect(moduleOf(row.path)?.name).toBe(row.module);
  });

  it('names every operation', () => {
    const wanted = new Set(rows.map(addressOf));
    const unnamed = operations.filter((operation) => !wanted.has(addressOf(operation)));
    expect(unnamed.map(({ id }) => id)).toEqual([]);
  });
});

describe('the rows of the health port', () => {
  const ofHealth = named.filter(({ module }) => module === 'health');
  // Without a key no data of the endpoints is read.
  const deps: Partial<HealthDeps> = {
    databaseUrl: 'postgres://127.0.0.1/none',
    accessKeys: { check: undefined, metrics: undefined, url: undefined },
    baseUrl: 'https://portal.example',
    clock: () => new Date(),
    log: createLog({ write: () => undefined }),
  };
  const app = createHealthApp(deps as HealthDeps);

  const client = { ip: '127.0.0.1', secure: true, loopback: true };
  const byHeader = ofHealth.filter(({ path }) => !path.includes('{key}'));

  it('are three', () => expect([ofHealth.length, byHeader.length]).toEqual([3, 2]));

  it('with the key in the path are 404 without a configured key', async () => {
    for (const { path } of ofHealth.filter((row) => !byHeader.includes(row))) {
      const answer = await app.request(path.replace('{key}', 'k'.repeat(32)), {}, { client });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'not_found', status: 404 });
    }
  });

  it.each(byHeader)('$row needs its own key', async ({ method, path, access }) => {
    expect(access).toMatch(/^own key/);
    const answer = await app.request(path, { method, headers: { 'x-auth-token': 'a session is no key' } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});
