import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atomically, type Connection, type Db } from '../../../db/client.ts';
import { pgFault } from '../../../db/errors.ts';
import { addCheckpoint } from '../../../db/repositories/audit/checkpoints.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { sealAll, verdictOf } from '../../support/audit/audit.ts';
import { connectBy, type Driver } from '../../support/database/neon-proxy.ts';
import { addSite, useWorld } from '../../support/factories.ts';

const refusal = 'AG002';

describe.each<Driver>(['pg', 'neon'])('an audit event, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  /** The owner of the tables has every privilege on them. */
  let owner: Connection;
  let db: Db;
  let id: string;

  beforeAll(async () => {
    owner = await connectBy(driver, { url: world.portal.database.ownerUrl });
    db = owner.db;
  });
  beforeEach(async () => {
    const { id: site } = await addSite(world.admin);
    const [event] = await db.select().from(auditEvents).where(eq(auditEvents.object_id, site));
    id = event?.id ?? '';
  });
  afterAll(async () => {
    await owner.close();
  });

  const read = () => db.select().from(auditEvents).where(eq(auditEvents.id, id));

  /** Runs statements in one transaction. @returns the SQLSTATE, or undefined when they were done */
  const stateOf = (...statements: ReturnType<typeof sql>[]) => stateOn(db, ...statements);
  const stateOn = (on: Db, ...statements: ReturnType<typeof sql>[]): Promise<string | undefined> =>
    atomically(on, (h) => statements.map((statement) => h.execute(statement))).then(
      () => undefined,
      (error) => pgFault(error)?.code ?? String(error),
    );
  it('cannot be changed or deleted, one or all at once, sealed or not', async () => {
    for (const seal of [async () => 0, () => sealAll(db)]) {
      await seal();
      const before = await read();
      expect(before).toHaveLength(1);
      expect(await stateOf(sql`update audit_events set message = 'x' where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`update audit_events set at = at where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`delete from audit_events where id = ${id}`)).toBe(refusal);
      expect(await stateOf(sql`delete from audit_events`)).toBe(refusal);
      expect(await stateOf(sql`truncate audit_events`)).toBe(refusal);
      expect(await read()).toEqual(before);
    }
  });

  it('cannot be changed or deleted by the other database roles, and the portal role cannot seal', async () => {
    const writes = [
      sql`update audit_events set message = 'x'`,
      sql`delete from audit_events`,
      sql`update audit_head set seq = 0`,
      sql`insert into audit_checkpoints select * from audit_checkpoints`,
    ];
    const seals = [
      sql`select seal_audit(1)`,
      sql`select add_audit_checkpoint('{}')`,
      sql`select remove_outlived_audit(1, 1)`,
      sql`select remove_outlived_checkpoints(1)`,
    ];
    const { portal } = world;
    for (const statement of [...writes, ...seals]) expect(await stateOn(portal.db, statement)).toBe('42501');
    for (const statement of writes) expect(await stateOn(portal.sidecarDb, statement)).toBe('42501');
  });

  it('stays protected whatever the value of a database setting', async () => {
    const seal = sql`update audit_events set seq = 1000000, prev_hash = 'y' where id = ${id}`;
    for (const purpose of ['sealer', 'retention']) {
      const licence = sql`select set_config('aggregator.audit', ${purpose}, true)`;
      expect(await stateOf(licence, seal)).toBe(refusal);
      expect(await stateOf(licence, sql`delete from audit_events where id = ${id}`)).toBe(refusal);
      expect(await stateOf(licence, sql`truncate audit_events`)).toBe(refusal);
    }
  });

  it('is sealed once, at the end of the chain only, and the database computes its hash', async () => {
    await sealAll(db);
    const { id: site } = await addSite(world.admin);
    const [event] = await db.select().from(auditEvents).where(eq(auditEvents.object_id, site));
    const next = (values: string) =>
      sql`update audit_events e set ${sql.raw(values)} from audit_head h where e.id = ${event?.id}`;
    expect(await stateOf(next(`seq = h.seq + 2, prev_hash = h.hash`))).toBe(refusal);
    expect(await stateOf(next(`seq = h.seq + 1, prev_hash = repeat('0', 64)`))).toBe(refusal);
    expect(await stateOf(next(`seq = h.seq + 1, prev_hash = h.hash, message = 'x'`))).toBe(refusal);
    await sealAll(db);
    expect(await stateOf(next(`seq = h.seq + 1, prev_hash = h.hash`))).toBe(refusal);
    const stretch = { from: 1, to: 100_000, limit: 100_000 };
    expect(await verdictOf(db, stretch)).toMatchObject({ broken: null });
  });

  it('may be deleted when a checkpoint declares it as removed, and later events may not', async () => {
    await sealAll(db);
    const [{ seq, hash } = { seq: 0, hash: '' }] = await read();
    const remove = (upTo: number) => sql`select remove_outlived_audit(${upTo}::bigint, 100000)`;
    expect(await stateOf(remove(seq ?? 0))).toBe(refusal);
    const base = { base_seq: seq ?? 0, base_hash: hash ?? '' };
    const checkpoint = { seq: seq ?? 0, hash: hash ?? '', ...base, at: new Date(), kid: 'k', jws: 'j' };
    await addCheckpoint(db, checkpoint);
    await addSite(world.admin);
    await sealAll(db);
    expect(await stateOf(remove((seq ?? 0) + 1))).toBe(refusal);
    expect(await stateOf(remove(seq ?? 0))).toBeUndefined();
    expect(await read()).toEqual([]);
    const [other] = await db.select().from(auditEvents).limit(1);
    expect(await stateOf(sql`delete from audit_events where id = ${other?.id}`)).toBe(refusal);
    expect(await stateOf(sql`delete from audit_checkpoints`)).toBe(refusal);
    expect(await stateOf(sql`update audit_checkpoints set jws = 'x'`)).toBe(refusal);
  });
});
