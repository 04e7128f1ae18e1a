import { describe, expect, it } from 'vitest';
import { addFarm, addMember, addSite, addTemplate, base, useWorld } from '../../support/factories.ts';
import { forgetMaintenance, inMinutes, round } from '../../support/fleet/maintenance.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const day = 24 * 60;
const calendar = (query = '', ask = world.admin) => ask(`GET ${base}/maintenance/calendar${query}`);
const shown = ({ body }: { body: Json }) =>
  body.entries.map(({ object_type, object_name, in_effect }: Json) => [object_type, object_name, in_effect]);

async function fleet() {
  await forgetMaintenance(world.portal);
  const [north, south] = [await addSite(world.admin), await addSite(world.admin)];
  const farm = await addFarm(world.admin, north);
  const next = await addTemplate(world.admin, { start_at: inMinutes(day), end_at: inMinutes(2 * day) });
  const later = await addTemplate(world.admin, {
    start_at: inMinutes(60 * day),
    end_at: inMinutes(61 * day),
  });
  const maintain = (path: string, template?: Json) =>
    world.admin(`PATCH ${base}/${path}`, {
      maintenance: true,
      ...(template && { maintenance_template_id: template.id }),
    });
  return { north, south, farm, next, later, maintain };
}

describe('the maintenance calendar', () => {
  it('has what is in effect and what starts within the period, of one site or template', async () => {
    const { north, south, farm, next, later, maintain } = await fleet();
    await maintain(`sites/${south.id}`);
    await maintain(`farms/${farm.id}`, next);
    const answer = await calendar();
    expect(answer.status).toBe(200);
    expect(shown(answer).toSorted()).toEqual(
      [
        ['farm', farm.name, false],
        ['site', south.name, true],
      ].toSorted(),
    );
    expect(answer.body.truncated).toBe(false);
    const ofSite = await calendar(`?site_id=${north.id}`);
    expect(ofSite.body.entries).toMatchObject([
      { farm_id: farm.id, site_id: north.id, template_id: next.id, end_at: next.end_at, warn_minutes: 10 },
    ]);
    expect(shown(await calendar(`?template_id=${later.id}`))).toEqual([]);
    const ids = ({ body }: { body: Json }) => body.unused_templates.map(({ id }: Json) => id);
    expect(ids(answer)).not.toContain(later.id);
    const far = await calendar(`?from=${inMinutes(59 * day)}&days=11`);
    expect(ids(far)).toEqual([later.id]);
    expect(shown(far)).toEqual([['site', south.name, true]]);
  });

  it('has the start of a maintenance without a template once it has begun', async () => {
    const { south, maintain } = await fleet();
    await maintain(`sites/${south.id}`);
    await round(world.portal);
    const [entry] = (await calendar(`?site_id=${south.id}`)).body.entries;
    expect(Date.now() - Date.parse(entry.start_at)).toBeLessThan(60_000);
    expect(entry).toMatchObject({ end_at: null, in_effect: true, template_id: null });
  });

  it('is limited to the scope', async () => {
    const { north, south, farm, next, maintain } = await fleet();
    await maintain(`sites/${south.id}`);
    await maintain(`farms/${farm.id}`, next);
    const reader = await addMember(world, ['maintenance.read'], [north.id]);
    expect(shown(await calendar('', reader.ask))).toEqual([['farm', farm.name, false]]);
    expect(shown(await calendar(`?site_id=${south.id}`, reader.ask))).toEqual([]);
    const other = await addMember(world, ['sites.read']);
    expect((await calendar('', other.ask)).status).toBe(403);
  });

  it('has a period of 1 to 366 days', async () => {
    const statuses = [];
    for (const days of [0, 1, 366, 367]) statuses.push((await calendar(`?days=${days}`)).status);
    expect(statuses).toEqual([422, 200, 200, 422]);
  });
});
