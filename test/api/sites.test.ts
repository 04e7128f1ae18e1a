import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPortal, type TestPortal } from '../support/portal.ts';

const path = '/api/webui/aggregator/sites';
let portal: TestPortal;
let token: string;

beforeAll(async () => {
  portal = await startPortal();
  token = await portal.login();
});
afterAll(() => portal.close());

const admin = (route: string, body?: unknown, headers?: Record<string, string>) =>
  portal.send(route, { token, body, ...(headers && { headers }) });

describe('sites', () => {
  it('creates, reads, replaces, changes and deletes a site', async () => {
    const created = await admin(`POST ${path}`, { name: 'North', uri: 'north' });
    expect(created.body).toMatchObject({
      name: 'North',
      uri: 'north',
      enabled: true,
      farms_count: 0,
      status: 'unknown',
    });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${path}/${created.body.id}`);
    const one = `${path}/${created.body.id}`;
    const read = await admin(`GET ${one}`);
    expect(read.body).toEqual(created.body);
    const replaced = await admin(
      `PUT ${one}`,
      { ...read.body, comments: 'sunny' },
      { 'if-match': read.headers.get('etag') ?? '' },
    );
    expect(replaced.body).toMatchObject({ comments: 'sunny', name: 'North' });
    const patched = await admin(`PATCH ${one}`, { location: { latitude: 1, longitude: 2 } });
    expect(patched.body.location).toEqual({ latitude: 1, longitude: 2, country: '' });
    const stale = await admin(
      `PATCH ${one}`,
      { comments: 'x' },
      { 'if-match': read.headers.get('etag') ?? '' },
    );
    expect(stale.status).toBe(412);
    expect((await admin(`DELETE ${one}`)).status).toBe(204);
    expect((await admin(`GET ${one}`)).status).toBe(404);
  });
});
