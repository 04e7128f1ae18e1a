import { describe, expect, it } from 'vitest';
import { endSession } from '../../simulator/data/sessions.ts';
import { addMember, adminOf, base, unique, useWorld } from '../../support/factories.ts';
import { listed, observe, sessionOf, startFleet, useFleet } from '../../support/fleet/fleet.ts';

const world = useWorld();
const fleet = useFleet(world);
const admin = adminOf(world);

const at = (verb: string): string =>
  `${base}/spsessions/${fleet.farm.id}/${verb}/${sessionOf(fleet).session_uuid}`;
const shown = () => listed(world, fleet, 'spsessions');

describe('a workplace session', () => {
  it('is disconnected on its node and in the snapshot, in four round trips and one dispatcher call', async () => {
    await admin(`PATCH ${at('raconnect')}`);
    const [before] = await shown();
    const { answer, events, event, calls, trips } = await observe(world, fleet, () =>
      admin(`PATCH ${at('disconnect')}`),
    );
    expect([answer.status, answer.body]).toEqual([
      202,
      { ...before, state: 'disconnected', fetched_at: expect.any(String) },
    ]);
    expect([calls.length, trips <= 4, events.length]).toEqual([1, true, 1]);
    expect(event).toMatchObject({
      event: 'portal.SessionAction',
      category: 'session',
      action: 'disconnect',
      result: 'success',
      object_type: 'spsession',
      object_id: before.session_uuid,
      object_name: `${before.domain}\\ada`,
      changes: [{ field: 'state', before: 'active', after: 'disconnected' }],
    });
    expect(await shown()).toMatchObject([{ state: 'disconnected' }]);
  });

  it('is ended, and is deleted from the snapshot', async () => {
    const path = at('logoff');
    const { answer, events } = await observe(world, fleet, () => admin(`PATCH ${path}`));
    expect([answer.status, answer.body.state, events.length]).toEqual([202, 'disconnected', 1]);
    expect([await shown(), fleet.simulator.state.sessions.all()]).toEqual([[], []]);
    expect((await admin(`PATCH ${path}`)).status).toBe(404);
  });

  it.each([
    'disconnect',
    'logoff',
  ])('that has already ended accepts %s with the result gone', async (verb) => {
    const path = at(verb);
    endSession(fleet.simulator.state, sessionOf(fleet));
    const { answer, events } = await observe(world, fleet, () => admin(`PATCH ${path}`));
    expect([answer.status, answer.body, await shown()]).toEqual([200, { result: 'gone' }, []]);
    expect(events.map(({ result, details }) => [result, details.result])).toEqual([['success', 'gone']]);
  });

  it('can be viewed through a one-time URL, which is returned once and not audited', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const ask = () => admin(`PATCH ${at('raconnect')}`, undefined, headers);
    const { answer, events } = await observe(world, fleet, ask);
    expect([answer.status, answer.body]).toEqual([
      200,
      { url: expect.stringMatching(/^https:/), expires_in: 300 },
    ]);
    expect(events.map(({ action }) => action)).toEqual(['assist']);
    expect(JSON.stringify(events)).not.toContain(answer.body.url);
    expect((await ask()).body).toEqual({ url: null, url_set: true, expires_in: 300 });
    const path = at('raconnect');
    endSession(fleet.simulator.state, sessionOf(fleet));
    expect((await admin(`PATCH ${path}`)).status).toBe(404);
    expect(await shown()).toEqual([]);
  });

  it.each([
    'https://u:p@viewer.example/assist',
    'http://viewer.example/assist',
    'https://viewer.example\\@other.example/',
    'javascript:alert(1)',
  ])('cannot be viewed through the URL %s', async (url) => {
    fleet.simulator.knobs.assistanceUrl = url;
    const { status, body } = await admin(`PATCH ${at('raconnect')}`);
    fleet.simulator.knobs.assistanceUrl = null;
    expect([status, body.code, body.reason]).toEqual([502, 'upstream_failed', 'wrong_shape']);
    expect(JSON.stringify(body)).not.toContain(url);
  });

  it('is found within the scope, and on the given farm', async () => {
    const other = await startFleet(world);
    const { ask } = await addMember(world, ['spsessions.logoff'], [other.site.id]);
    expect((await ask(`PATCH ${at('logoff')}`)).status).toBe(404);
    expect((await ask(`PATCH ${at('disconnect')}`)).status).toBe(403);
    expect((await admin(`PATCH ${at('logoff').replace(fleet.farm.id, other.farm.id)}`)).status).toBe(404);
    expect(await shown()).toHaveLength(1);
    await other.simulator.close();
  });
});
