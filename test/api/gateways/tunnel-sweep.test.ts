import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { gatewayTickets } from '../../../db/schema/gateways/tickets.ts';
import { gatewayTunnels } from '../../../db/schema/gateways/tunnels.ts';
import { tunnelSweepJob } from '../../../functions/health/jobs/gateways.ts';
import { addMember, type Member, pool, useStand } from '../../support/factories.ts';
import { clientIp, startTicketStand } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(() => startTicketStand({ pools: [pool('Office')] }));
let gateway: Json;
let another: Member;
/** The sweeps of two sidecars. */
let sidecars: Connection[];

beforeAll(async () => {
  another = await addMember(stand.world, []);
  sidecars = [1, 2].map(() => connectPg({ url: stand.world.portal.database.sidecarUrl, maxConnections: 1 }));
});
beforeEach(async () => {
  gateway = await stand.gateway();
});
afterEach(() => stand.clear());
afterAll(async () => {
  await Promise.all(sidecars.map((sidecar) => sidecar.close()));
});

/** Both sidecars concurrently, as during a change of the leader. */
const sweep = () =>
  Promise.all(sidecars.map(({ db }) => tunnelSweepJob(db).round(new AbortController().signal)));
/** A tunnel to the session of this user, without one of `stand.member`. */
const begin = async ({ token }: { token?: string } = {}): Promise<string> => {
  const asked = await stand.connect({ ...(token !== undefined && { token }) });
  const answer = await stand.use(asked.body.gateway.ticket, gateway, clientIp);
  expect(answer.status).toBe(200);
  return answer.body.notify;
};
const stats = async (): Promise<Json> => (await stand.shown(gateway)).stats;
const shownOpen = async (): Promise<number> => (await stats()).connections;
const storedOpen = async (): Promise<number> =>
  (await stand.world.portal.db.select().from(gatewayTunnels)).filter(({ stopped_at }) => !stopped_at).length;
const beat = (connections?: number) => stand.beat(gateway.token, { connections });
/** Moves the start of every used ticket back by this many seconds. */
async function age(seconds: number): Promise<void> {
  await stand.ageTickets(seconds);
  const began_at = sql`${gatewayTunnels.began_at} - make_interval(secs => ${seconds})`;
  const reported_at = sql`${gateways.reported_at} - make_interval(secs => ${seconds})`;
  await stand.world.portal.db.update(gatewayTunnels).set({ began_at });
  await stand.world.portal.db.update(gateways).set({ reported_at });
}

describe('open tunnels of a gateway that was killed', () => {
  it('stay open while there is no sign that they ended', async () => {
    await begin();
    await age(120);
    await begin(another);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([2, 2]);
    await beat(2);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([2, 2]);
  });

  it('are ended when its next heartbeat reports fewer, the oldest first', async () => {
    const oldest = await begin();
    await age(60);
    const other = await begin(another);
    await age(120);
    await beat(1);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([1, 1]);
    const [left] = await stand.world.portal.db
      .select({ began_at: gatewayTunnels.began_at })
      .from(gatewayTunnels)
      .where(sql`${gatewayTunnels.stopped_at} is null`);
    expect(Date.now() - (left?.began_at.getTime() ?? 0)).toBeLessThan(170_000);
    expect((await stand.stop(other, gateway)).status).toBe(200);
    expect((await stand.stop(oldest, gateway)).status).toBe(200);
    expect(await shownOpen()).toBe(0);
  });

  it('are not ended by a heartbeat that was measured before they began', async () => {
    await begin();
    await age(30);
    await beat(0);
    await sweep();
    expect(await storedOpen()).toBe(1);
    await age(60);
    await sweep();
    expect(await storedOpen()).toBe(1);
    await beat(0);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([0, 0]);
  });

  it('are not ended by a heartbeat without the number of tunnels', async () => {
    await begin();
    await age(120);
    await beat();
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([1, 1]);
  });

  it('are ended when a later ticket opens a tunnel to their session', async () => {
    const [first, second] = [await begin(), await begin()];
    await age(115);
    await begin();
    await sweep();
    expect(await storedOpen()).toBe(3);
    await age(121);
    const last = await begin();
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([1, 1]);
    expect((await stand.stop(last, gateway)).status).toBe(200);
    for (const notify of [first, second]) expect((await stand.stop(notify, gateway)).status).toBe(200);
    expect(await shownOpen()).toBe(0);
  });

  it('stay open when the later ticket is of another session or unused', async () => {
    await begin();
    await age(60);
    await stand.ticketOf(gateway);
    await begin(another);
    const sessions = await stand.world.portal.db
      .selectDistinct({ uuid: gatewayTickets.session_uuid })
      .from(gatewayTickets);
    expect(sessions).toHaveLength(2);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([2, 2]);
  });

  it('are ended after 24 hours', async () => {
    await begin();
    await age(24 * 3_600 - 60);
    await sweep();
    expect(await storedOpen()).toBe(1);
    await age(61);
    await sweep();
    expect([await shownOpen(), await storedOpen()]).toEqual([0, 0]);
  });

  it('count their bytes, and leave the number of open tunnels once, when the end is reported late', async () => {
    const lost = await begin();
    await age(25 * 3_600);
    const open = await begin();
    await sweep();
    expect(await stats()).toEqual({ connections: 1, sent: 0, received: 0 });
    const reports = await Promise.all([1, 2, 3].map(() => stand.stop(lost, gateway, '?sent=5&recv=7')));
    expect(reports.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    expect(await stats()).toEqual({ connections: 1, sent: 5, received: 7 });
    expect((await stand.stop(open, gateway, '?sent=1')).status).toBe(200);
    expect(await stats()).toEqual({ connections: 0, sent: 6, received: 7 });
  });

  it('are counted once when sweeps and ends run concurrently', async () => {
    const open = [];
    for (let n = 0; n < 10; n++) open.push(await begin());
    await age(25 * 3_600);
    const young = await begin();
    const answers = await Promise.all([
      ...open.slice(0, 5).map((notify) => stand.stop(notify, gateway, '?sent=10')),
      sweep(),
      ...open.slice(5).map((notify) => stand.stop(notify, gateway, '?sent=10')),
      sweep(),
    ]);
    for (const answer of answers) if ('status' in answer) expect(answer.status).toBe(200);
    expect(await stats()).toEqual({ connections: 1, sent: 100, received: 0 });
    expect((await stand.stop(young, gateway)).status).toBe(200);
    expect(await shownOpen()).toBe(0);
  });

  it('do not change the fields that an administrator wrote', async () => {
    const { db } = stand.world.portal;
    const row = async () => (await db.select().from(gateways).where(eq(gateways.id, gateway.id)))[0];
    await begin();
    await age(25 * 3_600);
    const before = await row();
    await sweep();
    const after = await row();
    expect([after?.revision, after?.updated_at]).toEqual([before?.revision, before?.updated_at]);
  });
});
