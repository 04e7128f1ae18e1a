import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import { breakAudit } from '../../support/audit/audit.ts';
import { audited, base, siteBody, unique, useWorld } from '../../support/factories.ts';
import { type Fleet, startFleet, workplaceOf } from '../../support/fleet/fleet.ts';

describe.each(['pg', 'neon'] as const)('an Idempotency-Key of an action by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let fleet: Fleet;
  let key: string;

  beforeEach(async () => {
    fleet = await startFleet(world);
    key = unique('key');
  });
  afterEach(() => fleet.simulator.close());

  const act = (action = 'reset') => {
    const { uuid, pool } = workplaceOf(fleet, 'Office', 1);
    const path = `${base}/workplaces/${fleet.farm.id}/machine/${pool.uuid}/${uuid}`;
    return world.admin(`PATCH ${path}`, { action }, { 'idempotency-key': key });
  };
  const sent = (): number => fleet.simulator.calls.filter(({ method }) => method === 'PATCH').length;

  it('makes one dispatcher call for twenty concurrent requests, and each of them gets the same answer', async () => {
    fleet.simulator.knobs.latencyMs = 20;
    const { result: answers, events } = await audited(world.portal, () =>
      Promise.all(Array.from({ length: 20 }, () => act())),
    );
    const outcomes = new Set(answers.map(({ status, body }) => body.code ?? status));
    expect([...outcomes].filter((outcome) => outcome !== 'idempotency_in_progress')).toEqual([202]);
    expect([sent(), events.length]).toEqual([1, 1]);
    const again = await act();
    expect([again.status, again.body]).toEqual([202, answers.find(({ status }) => status === 202)?.body]);
    expect(sent()).toBe(1);
    expect((await act('suspend')).body.code).toBe('idempotency_mismatch');
  });

  it('whose call took effect and whose answer could not be stored is not executed again', async () => {
    const mend = await breakAudit(world.portal.ownerDb);
    expect((await act()).status).toBe(500);
    await mend();
    expect([(await act()).body.code, sent()]).toEqual(['outcome_unknown', 1]);
  });

  it('is released by a refusal and by a farm that was not called', async () => {
    expect((await act('start')).body.code).toBe('invalid_state');
    expect(await rows()).toEqual([]);
    const [node] = (await world.admin(`GET ${base}/farms/${fleet.farm.id}/dispatchers`)).body.items;
    await world.admin(`PATCH ${base}/dispatchers/${node.id}`, { enabled: false });
    expect((await act()).body.code).toBe('upstream_unavailable');
    await world.admin(`PATCH ${base}/dispatchers/${node.id}`, { enabled: true });
    expect((await act()).status).toBe(202);
  });

  it('is separate from the same key of a write of the portal', async () => {
    const headers = { 'idempotency-key': key };
    expect((await act()).status).toBe(202);
    const body = siteBody();
    const write = await world.admin(`POST ${base}/sites`, body, headers);
    expect(write.body.code).toBe('idempotency_mismatch');
    key = unique('key');
    await world.admin(`POST ${base}/sites`, siteBody(), { 'idempotency-key': key });
    fleet.simulator.resetCalls();
    expect([(await act()).body.code, sent()]).toEqual(['idempotency_mismatch', 0]);
  });

  // The last test, because its moved clock differs from that of the nodes.
  it('whose call hangs is in progress, has an unknown outcome after its lease, and is never executed again', async () => {
    Object.assign(fleet.simulator.knobs, { path: '/api/webui', hang: 'headers' });
    const hanging = act();
    while (sent() === 0) await new Promise(setImmediate);
    expect((await act()).body).toMatchObject({ code: 'idempotency_in_progress', retryable: false });
    world.portal.advance(61);
    expect((await act()).body).toMatchObject({ status: 409, code: 'outcome_unknown', retryable: false });
    await fleet.simulator.close();
    expect((await hanging).status).toBe(502);
    expect([(await act()).body.code, sent()]).toEqual(['outcome_unknown', 1]);
  });

  const rows = () => world.portal.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key));
});
