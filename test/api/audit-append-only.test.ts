import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atomically, type Db } from '../../db/client.ts';
import { pgFault } from '../../db/errors.ts';
import { auditEvents } from '../../db/schema/audit-events.ts';
import { sealAll } from '../support/audit.ts';
import { addSite, startWorld, type World } from '../support/factories.ts';
import type { Driver } from '../support/neon-proxy.ts';

const refusal = 'AG002';

describe.each<Driver>(['pg', 'neon'])('an audit event, by the driver %s', (driver) => {
  let world: World;
  let db: Db;
  let id: string;

  beforeAll(async () => {
    world = await startWorld({ driver });
    db = world.portal.db;
  });
  beforeEach(async () => {
    const { id: site } = await addSite(world.admin);
    const [event] = await db.select().from(auditEvents).where(eq(auditEvents.object_id, site));
    id = event?.id ?? '';
  });
  afterAll(() => world.portal.close());

  const read = () => db.select().from(auditEvents).where(eq(auditEvents.id, id));

  /** Runs statements in one transaction. @returns the SQLSTATE, or undefined when they were done */
  const stateOf = (...statements: ReturnType<typeof sql>[]): Promise<string | undefined> =>
    atomically(db, (h) => statements.map((statement) => h.execute(statement))).then(
      () => undefined,
      (error) => pgFault(error)?.code ?? String(error),
    );
  const as = (purpose: string) => sql`select set_config('aggregator.audit', ${purpose}, true)`;

  it('can be neither changed nor deleted, nor all of them at once, sealed or not', async () => {
    for (const seal of [async () => 0, () => sealAll(db)]) {
      await seal();
      const before = await read();
      expect(before).toHaveLength(1);
      expect(await stateOf(sql`update audit_events set message = 'x' where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`update audit_events set at = at where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`delete from audit_events where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`delete from audit_events`)).toBe(refusal);
      expect(await stateOf(sql`truncate audit_events`)).toBe(refusal);
      expect(await stateOf(as('retention'), sql`truncate audit_events`)).toBe(refusal);
      expect(await read()).toEqual(before);
    }
  });

  it('gets its seal from the sealer, once, and nothing else', async () => {
    const seal = sql`update audit_events set seq = 1000000, hash = 'x', prev_hash = 'y', sealed_text = 'z'
      where id = ${id}`;
    const other = sql`update audit_events set seq = 1000000, message = 'x' where id = ${id}`;
    expect(await stateOf(seal)).toBe(refusal);
    expect(await stateOf(as('retention'), seal)).toBe(refusal);
    expect(await stateOf(as('sealer'), other)).toBe(refusal);
    expect(await stateOf(as('sealer'), sql`delete from audit_events where id = ${id}`)).toBe(refusal);
    await sealAll(db);
    expect(await stateOf(as('sealer'), seal)).toBe(refusal);
  });

  it('leaves the licence of the sealer with his function', async () => {
    const change = sql`update audit_events set seq = 1000000 where id = ${id}`;
    expect(await stateOf(sql`select seal_audit(0)`, change)).toBe(refusal);
  });

  it('may go when its time is over, and only in a transaction that says so', async () => {
    const remove = sql`delete from audit_events where id = ${id}`;
    expect(await stateOf(as('retention'), remove)).toBeUndefined();
    expect(await read()).toEqual([]);
    const [other] = await db.select().from(auditEvents).limit(1);
    expect(await stateOf(sql`delete from audit_events where id = ${other?.id}`)).toBe(refusal);
  });
});
