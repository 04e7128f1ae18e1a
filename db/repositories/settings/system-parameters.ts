import { eq, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { systemParameters as table } from '../../schema/settings/system-parameters.ts';
import { type AuditEntry, appendAuditRows, auditRow } from '../audit/events.ts';
import { parameterOverrides } from '../identity/login/sessions.ts';
import { lockGuard, must } from '../records/statements.ts';

/** The new value of a parameter. `fallback` is its default; `id` is the id of the audit event for a change. */
export type ParameterChange = { id: string; name: string; value: unknown; fallback: unknown };

/** Returns the values that differ from their defaults, by name. */
export async function findOverrides(db: Db): Promise<Record<string, unknown> | null> {
  const [row] = await readOverrides(db);
  return row?.overrides ?? null;
}

type Alongside = {
  /** The overrides on which the change depends; fails the batch with `precondition_failed` if they are others. */
  expected?: Record<string, unknown> | null;
  /** Statements of the same batch that run before the change. */
  before?: (h: Db) => Statement[];
};

/**
 * Sets all parameters in one batch, with one audit event for each changed one.
 * @returns the values that differ from their defaults afterwards
 */
export async function saveParameters(
  db: Db,
  changes: readonly ParameterChange[],
  audit: AuditEntry,
  { expected, before }: Alongside = {},
): Promise<Record<string, unknown> | null> {
  const results = await atomically(db, (h) => [
    lockGuard(h, 'parameters'),
    ...(expected === undefined ? [] : [mustBe(h, expected)]),
    ...(before?.(h) ?? []),
    auditChanges(h, changes, audit),
    ...changes.map((change) => setParameter(h, change, audit.at)),
    readOverrides(h),
  ]);
  const [row] = results.at(-1) as Awaited<ReturnType<typeof readOverrides>>;
  return row?.overrides ?? null;
}

const readOverrides = (h: Db) => h.select({ overrides: parameterOverrides }).from(sql`(values (1)) as once`);

const mustBe = (h: Db, overrides: Record<string, unknown> | null): Statement =>
  must(
    h,
    sql`coalesce(${parameterOverrides}, '{}') = ${JSON.stringify(overrides ?? {})}::jsonb`,
    'precondition_failed',
  );

/** The previous values are read in SQL, under the lock. */
function auditChanges(h: Db, changes: readonly ParameterChange[], audit: AuditEntry): Statement {
  const before = sql`coalesce(stored.value, changed.fallback)`;
  const row = auditRow(audit, {
    id: sql`changed.id`,
    object_id: sql`changed.name`,
    object_name: sql`changed.name`,
    changes: sql`jsonb_build_array(jsonb_build_object('field', 'value', 'before', ${before}, 'after', changed.value))`,
  });
  return appendAuditRows(
    h,
    sql`${row} from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
          as changed(id uuid, name text, value jsonb, fallback jsonb)
        left join ${table} as stored on stored.name = changed.name
        where ${before} is distinct from changed.value`,
  );
}

/** A value equal to the default is not stored, so that a later version can change the default. */
export function setParameter(
  h: Db,
  { name, value, fallback }: Omit<ParameterChange, 'id'>,
  at: Date,
): Statement {
  if (value === fallback) return h.delete(table).where(eq(table.name, name));
  return h
    .insert(table)
    .values({ name, value, updated_at: at })
    .onConflictDoUpdate({ target: table.name, set: { value, updated_at: at } });
}
