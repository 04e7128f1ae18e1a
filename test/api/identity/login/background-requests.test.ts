import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { serviceTokens } from '../../../../db/schema/identity/service-tokens.ts';
import { addMember, addRole, asker, base, useWorld } from '../../../support/factories.ts';
import { follow, patient, serveChanges } from '../../../support/http/changes.ts';
import { addPeer, exchange } from '../../../support/identity/peers.ts';
import { addServiceToken, addServiceUser } from '../../../support/identity/service-tokens.ts';
import { adminPassword } from '../../../support/portal.ts';

const world = useWorld();
const marked = { 'x-background': 'true' };
/** The default of `session.idle_s`. */
const idleS = 1_800;

/** Reads every five minutes, until the answer is another than 200. @returns the seconds until then */
async function secondsUntilRefused(read: () => Promise<{ status: number }>): Promise<number> {
  for (let seconds = 0; seconds <= 2 * idleS; seconds += 300) {
    const { status } = await read();
    await world.portal.settled();
    if (status !== 200) {
      expect(status).toBe(401);
      world.portal.advance(-seconds);
      return seconds;
    }
    world.portal.advance(300);
  }
  world.portal.advance(-(2 * idleS + 300));
  return Number.POSITIVE_INFINITY;
}

describe('a request that is marked as not caused by the user', () => {
  it('does not keep a session alive, as others do', async () => {
    const read = (token: string, headers: Record<string, string>) => () =>
      world.portal.send(`GET ${base}/sites`, { token, headers });
    const idle = await world.portal.login();
    expect(await secondsUntilRefused(read(idle, marked))).toBe(idleS);
    for (const headers of [{}, { 'x-background': 'false' }, { 'x-background': '1' }]) {
      const used = await world.portal.login();
      expect(await secondsUntilRefused(read(used, headers))).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('does not keep the session of a browser or of a peer alive', async () => {
    const credentials = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
    const page = { 'sec-fetch-site': 'same-origin' };
    const signedIn = await world.portal.send('POST /signin', { body: credentials, headers: page });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    const renew = () => world.portal.send('POST /signin/token', { headers: { ...page, ...marked, cookie } });
    expect(await secondsUntilRefused(renew)).toBe(idleS);
    const peer = await addPeer(world.admin, [(await addRole(world.admin, ['sites.read'])).id]);
    const { token } = (await exchange(world.portal, peer)).body;
    const read = () => world.portal.send(`GET ${base}/sites`, { token, headers: marked });
    expect(await secondsUntilRefused(read)).toBe(idleS);
  });

  it('changes neither the last use of the session nor the number of round trips', async () => {
    const { user, token } = await addMember(world, ['sites.read']);
    const { db, trips, settled, send, advance } = world.portal;
    const session = async () => {
      const [row] = await db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
      return row;
    };
    const tripsOf = async (headers: Record<string, string>) => {
      await settled();
      const start = trips();
      expect((await send(`GET ${base}/sites`, { token, headers })).status).toBe(200);
      await settled();
      return trips() - start;
    };
    const before = await session();
    // The first request of a token is sent after its lookup.
    await tripsOf({});
    advance(90);
    expect(await tripsOf(marked)).toBe(1);
    expect(await session()).toEqual(before);
    expect(await tripsOf({})).toBe(2);
    expect((await session())?.last_seen_at.getTime()).toBeGreaterThan(before?.last_seen_at.getTime() ?? 0);
    advance(-90);
  });

  it('does not hide the use of a service token', async () => {
    const { user } = await addServiceUser(world, ['sites.read']);
    const { id, token } = (await addServiceToken(world, user)).made;
    expect((await world.portal.send(`GET ${base}/sites`, { token, headers: marked })).status).toBe(200);
    await world.portal.settled();
    const [row] = await world.portal.db.select().from(serviceTokens).where(eq(serviceTokens.id, id));
    expect(row?.last_seen_at).not.toBeNull();
  });
});

it('a stream of changes ends with the idle end of its session', async () => {
  const served = await serveChanges(world.portal);
  const token = await world.portal.login();
  const stream = await follow(served.origin, token);
  world.portal.advance(idleS - 30);
  const other = await follow(served.origin, await world.portal.login());
  await asker(world.portal, await world.portal.login())(`POST ${base}/sites`, {
    name: 'Rowan',
    uri: 'rowan',
  });
  await expect.poll(() => stream.seen.length, patient).toBeGreaterThan(1);
  expect(stream.ends()).toBe(0);
  world.portal.advance(60);
  await expect.poll(() => stream.ends(), patient).toBeGreaterThan(0);
  expect(other.ends()).toBe(0);
  for (const one of [stream, other]) one.close();
  world.portal.advance(-(idleS + 30));
  await served.close();
});
