import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../shared/kernel/ids.ts';
import { unique, useWorld } from '../../../support/factories.ts';
import {
  addScimUser,
  filtered,
  patchOf,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import { baseUrl, type Json } from '../../../support/portal.ts';

const world = useWorld();
let scim: ScimClient;
beforeAll(async () => {
  scim = await startScim(world);
});

const bulk = (Operations: Json[], more: Json = {}) =>
  scim.ask('POST /Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations,
    ...more,
  });
const statuses = ({ body }: Json) => body.Operations.map(({ status }: Json) => status);
const newUser = (bulkId: string, given: Json = {}) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { userName: unique('bulk'), ...given },
});

describe('a bulk request', () => {
  it('creates, changes and deletes', async () => {
    const [kept, gone] = [await addScimUser(scim), await addScimUser(scim)];
    const answer = await bulk([
      newUser('a'),
      {
        method: 'PUT',
        path: `/Users/${kept.id}`,
        version: 'W/"1"',
        data: { userName: kept.userName, displayName: 'Put' },
      },
      {
        method: 'patch',
        path: `/Users/${kept.id}`,
        data: patchOf({ op: 'replace', path: 'active', value: false }),
      },
      { method: 'DELETE', path: `/Users/${gone.id}` },
    ]);
    expect(answer.status).toBe(200);
    expect(statuses(answer)).toEqual(['201', '200', '200', '204']);
    expect(answer.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
    const [created, replaced] = answer.body.Operations;
    expect(created).toMatchObject({
      method: 'POST',
      bulkId: 'a',
      version: 'W/"1"',
      location: expect.stringContaining('/Users/'),
    });
    expect(replaced).toMatchObject({ method: 'PUT', location: kept.meta.location, version: 'W/"2"' });
    expect((await scim.ask(`GET /Users/${kept.id}`)).body).toMatchObject({
      active: false,
      displayName: 'Put',
    });
  });

  it('resolves references, also to later operations', async () => {
    const answer = await bulk([
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'g',
        data: { displayName: unique('team'), members: [{ type: 'User', value: 'bulkId:u' }] },
      },
      newUser('u'),
      {
        method: 'PATCH',
        path: '/Users/bulkId:u',
        data: patchOf({ op: 'add', path: 'displayName', value: 'Later' }),
      },
    ]);
    const byId = Map.groupBy(answer.body.Operations as Json[], ({ bulkId }) => bulkId);
    const [user, group] = [byId.get('u')?.[0], byId.get('g')?.[0]];
    expect(statuses(answer).sort()).toEqual(['200', '201', '201']);
    const shown = await scim.ask(
      `GET ${new URL(group.location).pathname.replace(`/scim/v2/${scim.domain.id}`, '')}`,
    );
    expect(shown.body.members).toMatchObject([{ $ref: user.location }]);
  });

  it('reports errors in the form of SCIM, and goes on', async () => {
    const answer = await bulk([
      { method: 'POST', path: '/Users', bulkId: 'x', data: {} },
      { method: 'DELETE', path: `/Users/${newId()}` },
      { method: 'DELETE', path: '/Users/none' },
      { method: 'GET', path: `/Users/${newId()}` },
      { method: 'POST', path: '/Nothing', data: {} },
      {
        method: 'POST',
        path: '/Groups',
        data: { displayName: unique('g'), members: [{ value: 'bulkId:x' }] },
      },
      {
        method: 'POST',
        path: '/Groups',
        data: { displayName: unique('g'), members: [{ value: 'bulkId:unknown' }] },
      },
      newUser('last'),
    ]);
    expect(statuses(answer)).toEqual(['400', '404', '404', '405', '400', '400', '201', '409']);
    expect(answer.body.Operations[0].response).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('ends after the permitted number of errors', async () => {
    const wrong = { method: 'DELETE', path: `/Users/${newId()}` };
    expect(statuses(await bulk([wrong, newUser('a'), wrong, newUser('b')], { failOnErrors: 2 }))).toEqual([
      '404',
      '201',
      '404',
    ]);
  });

  it('ends with the operation during which the database becomes unavailable', async () => {
    const { ownerDb } = world.portal;
    await ownerDb.execute(sql`create function fail() returns trigger language plpgsql as $$
      begin raise exception using errcode = '57P01', message = 'raised by a test'; end $$`);
    await ownerDb.execute(sql`create trigger fails before insert on users
      for each row when (new.name like 'unavailable%') execute function fail()`);
    const away = { method: 'POST', path: '/Users', bulkId: 'b', data: { userName: unique('unavailable') } };
    const answer = await bulk([newUser('a'), away, newUser('c')]);
    await ownerDb.execute(sql`drop function fail() cascade`);
    expect([answer.status, statuses(answer)]).toEqual([200, ['201', '503']]);
  });

  it('ends with the running operation when the client has left', async () => {
    const { ownerDb, portal } = world.portal;
    const isBlocked = sql<boolean>`exists(select from pg_locks where relation = 'users'::regclass and not granted)`;
    const leaving = new AbortController();
    const Operations = [newUser('a'), newUser('b')];
    const { running } = await ownerDb.transaction(async (lock) => {
      await lock.execute(sql`lock table users in share row exclusive mode`);
      const begun = portal.fetch(
        new Request(`${baseUrl}/scim/v2/${scim.domain.id}/Bulk`, {
          method: 'POST',
          headers: { authorization: `Bearer ${scim.token}`, 'content-type': 'application/scim+json' },
          body: JSON.stringify({
            schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
            Operations,
          }),
          signal: leaving.signal,
        }),
        { client: { ip: '192.0.2.1', secure: true, loopback: false }, background: () => undefined },
      );
      await expect
        .poll(async () => (await lock.select({ isBlocked }).from(sql`(values (1)) as once`))[0]?.isBlocked)
        .toBe(true);
      leaving.abort();
      return { running: begun };
    });
    expect((await (await running).json()).Operations).toHaveLength(1);
    const created = await Promise.all(
      Operations.map(({ data }) => scim.ask(filtered('/Users', `userName eq "${data.userName}"`))),
    );
    expect(created.map(({ body }) => body.totalResults)).toEqual([1, 0]);
  });

  it('refuses more than 100 operations', async () => {
    const wrong = { method: 'DELETE', path: `/Users/${newId()}` };
    const refused = await bulk(Array(101).fill(wrong));
    expect([refused.status, refused.body.status]).toEqual([413, '413']);
    expect(statuses(await bulk(Array(100).fill(wrong)))).toHaveLength(100);
  });

  it('fails circular references', async () => {
    const member = (id: string) => [{ value: `bulkId:${id}` }];
    const answer = await bulk([
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'a',
        data: { displayName: unique('g'), members: member('b') },
      },
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'b',
        data: { displayName: unique('g'), members: member('a') },
      },
    ]);
    expect(statuses(answer)).toEqual(['409', '409']);
  });
});
