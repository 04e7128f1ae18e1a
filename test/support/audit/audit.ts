import { sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { type ChainRange, sealAudit, verifyAudit } from '../../../db/repositories/audit/chain.ts';
import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { auditCheckpoints } from '../../../db/schema/audit/checkpoints.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { auditHead } from '../../../db/schema/audit/head.ts';
import { newId } from '../../../shared/kernel/ids.ts';

/** Makes every write of an audit event fail. @returns a function that restores it */
export async function breakAudit(db: Db): Promise<() => Promise<void>> {
  await db.execute(sql`create or replace function audit_is_broken() returns trigger language plpgsql
    as $$ begin raise exception 'the audit is full'; end $$`);
  await db.execute(sql`create trigger audit_is_broken before insert on audit_events
    for each row execute function audit_is_broken()`);
  return async () => void (await db.execute(sql`drop trigger audit_is_broken on audit_events`));
}

/** Seals all events. @returns their number */
export async function sealAll(db: Db, batch = 500): Promise<number> {
  for (let total = 0; ; ) {
    const sealed = await sealAudit(db, batch);
    total += sealed;
    if (sealed < batch) return total;
  }
}

/** The state of the chain, without its signatures. */
export async function verdictOf(db: Db, stretch: ChainRange) {
  const { leaning: _, ...verdict } = await verifyAudit(db, stretch, ['no key']);
  return verdict;
}

/** An event of the `n`th second of a year. */
export const auditEntry = (n: number, given: Partial<AuditEntry> = {}): AuditEntry => ({
  id: newId(),
  at: new Date(Date.UTC(2026, 0, 1) + n * 1000),
  event: 'portal.EntityAction',
  category: 'config',
  level: 'info',
  result: 'success',
  message: `event ${n}`,
  changes: [{ field: 'comments', before: null, after: { b: 1.5, a: ['ü', null] } }],
  ...given,
});

const auditTables = [auditEvents, auditCheckpoints];

/** Runs statements that the triggers of the audit refuse, as the owner of the tables could. */
export async function withoutAuditTriggers(ownerDb: Db, build: (handle: Db) => Statement[]): Promise<void> {
  const set = (h: Db, word: 'enable' | 'disable') =>
    auditTables.map((table) => h.execute(sql`alter table ${table} ${sql.raw(word)} trigger user`));
  await atomically(ownerDb, (h) => [...set(h, 'disable'), ...build(h), ...set(h, 'enable')]);
}

/** An audit as before the first event. */
export const emptyAudit = (ownerDb: Db): Promise<void> =>
  withoutAuditTriggers(ownerDb, (h) => [
    h.delete(auditEvents),
    h.delete(auditCheckpoints),
    h.update(auditHead).set({ seq: 0, hash: '0'.repeat(64) }),
  ]);
