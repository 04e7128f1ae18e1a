import type { Db, Statement } from '../../../db/client.ts';
import { isReferenceViolation, raisedByMust } from '../../../db/errors.ts';
import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { appendAudit, appendAuditWith, type ComputedChange } from '../../../db/repositories/audit/events.ts';
import { bulkDestroy, type ProtectionRule, referencesTo } from '../../../db/repositories/records/bulk.ts';
import type { Alongside, Reach, Row, Selection, Values } from '../../../db/repositories/records/records.ts';
import type { FieldChange } from '../../../db/schema/audit/events.ts';
import { auditEntry, changesBetween, entityAction } from '../../context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { readingOf } from '../../context/rights.ts';
import { AppError, type FieldError, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inLanguage } from '../../messages/message.ts';
import { Answer } from '../serve/answer.ts';
import { assertMatches, type Conditions } from '../serve/conditions.ts';
import { type RecordKind, valuesOf, writableOf } from './kind.ts';
import { assertNewName } from './new-names.ts';
import { allSitesNeeded, explainWrite } from './refusals.ts';

type Body = Record<string, unknown>;
type AnyCtx = Ctx<BaseDeps>;

/** Additions to the write of one record. */
export type Extras = {
  parent?: string | undefined;
  id?: string;
  /** Columns that are not public members: hashes, sealed secrets, the owner of a nested collection. */
  columns?: Record<string, unknown>;
  /** Changes for the audit event that the members of the object do not contain. */
  changes?: FieldChange[];
  /** A change whose new value only the batch determines. */
  computed?: ComputedChange | undefined;
  /** Statements of the same batch: locks and conditions before the change, further changes after it. */
  before?: (handle: Db) => Statement[];
  after?: (handle: Db) => Statement[];
  /** Runs the batch, and replaces the error of a failed condition with the error for the caller. */
  explained?: <T>(batch: () => Promise<T>) => Promise<T>;
};

const asItIs = <T>(batch: () => Promise<T>): Promise<T> => batch();

const reachOf = (ctx: AnyCtx, parent: string | undefined): Reach => ({
  scope: ctx.scope,
  ...(parent !== undefined && { parent }),
});

/** @throws AppError `not_found`, also for a row outside the scope of the caller */
export async function findRecord<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  id: string,
  parent?: string,
): Promise<Row<S>> {
  const row = await kind.records.find(ctx.deps.db, id, reachOf(ctx, parent));
  if (!row) throw notFound();
  return row;
}

export const answerRecord = <S extends Selection>(kind: RecordKind<S>, row: Row<S>): Answer =>
  new Answer(kind.view(row), { revision: row.revision });

/**
 * Creates one object and its audit event in one batch.
 * @throws AppError `already_exists`, `invalid_request` for a reference to an object that does not exist, `not_found` if
 *   the owner does not exist
 */
export async function createRecord<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  body: Body,
  extras: Extras = {},
): Promise<Answer> {
  assertNewName(kind.type, body);
  const id = extras.id ?? newId();
  const values = withColumns(valuesOf(kind, body), extras.columns);
  const audit = entityAction(ctx, 'create', { type: kind.type, id, name: nameOf(body), revision: 1 }, [
    ...changesBetween({}, body, kind.secrets),
    ...(extras.changes ?? []),
  ]);
  const reach = reachOf(ctx, extras.parent);
  const { explained = asItIs } = extras;
  const row = await explained(() =>
    kind.records.create(ctx.deps.db, id, values, reach, alongside(extras, audit)),
  ).catch(async (error) => {
    throw await explainWrite(ctx, kind, values, reach, error);
  });
  const path = extras.parent === undefined ? kind.path : kind.path.replace(/\{\w+\}/, extras.parent);
  return new Answer(kind.view(row), { revision: row.revision, headers: { location: `${path}/${id}` } });
}

type Target = { id: string; parent?: string | undefined; conditions: Conditions };

/**
 * Reads the object, calls `decide` for its new content, and writes the content and the audit event in one batch. A
 * concurrent change is never lost: with `If-Match` the write is rejected, without it the operation starts again.
 */
export const changeRecord = <S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  at: Target,
  decide: (row: Row<S>) => ({ body: Body } & Extras) | Promise<{ body: Body } & Extras>,
): Promise<Answer> =>
  untilUncontested(at.conditions, async () => {
    const reach = reachOf(ctx, at.parent);
    const row = await findRecord(ctx, kind, at.id, at.parent);
    assertMatches(at.conditions, row.revision);
    const { body, changes: further = [], explained = asItIs, ...extras } = await decide(row);
    assertNewName(kind.type, body, row);
    assertImmutable(kind, row, body);
    const values = withColumns(valuesOf(kind, body), extras.columns);
    const changes = changesBetween(writableOf(kind, row), body, kind.secrets).filter(
      ({ after, field }) => !(kind.secrets.has(field) && after === null),
    );
    const revision = row.revision + 1;
    const object = { type: kind.type, id: at.id, name: nameOf({ ...row, ...body }), revision };
    const audit = entityAction(ctx, 'update', object, [...changes, ...further]);
    const revised = { id: at.id, revision: row.revision };
    const saved = await explained(() =>
      kind.records.replace(ctx.deps.db, revised, values, reach, alongside(extras, audit)),
    ).catch(async (error) => {
      throw await explainWrite(ctx, kind, values, reach, error, at.id);
    });
    return answerRecord(kind, saved);
  });

/** @throws AppError `in_use` with the references that prevent the deletion, if the caller may read them */
export const removeRecord = <S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  at: Target,
  decide: (row: Row<S>) => Extras | Promise<Extras> = () => ({}),
): Promise<void> =>
  untilUncontested(at.conditions, async () => {
    const row = await findRecord(ctx, kind, at.id, at.parent);
    assertMatches(at.conditions, row.revision);
    const { explained = asItIs, ...extras } = await decide(row);
    const object = { type: kind.type, id: at.id, name: nameOf(row), revision: row.revision };
    const audit = entityAction(
      ctx,
      'delete',
      object,
      changesBetween(writableOf(kind, row), {}, kind.secrets),
    );
    const revised = { id: at.id, revision: row.revision };
    try {
      await explained(() =>
        kind.records.remove(ctx.deps.db, revised, reachOf(ctx, at.parent), alongside(extras, audit)),
      );
    } catch (error) {
      if (raisedByMust(error)?.code === 'out_of_scope') throw allSitesNeeded();
      if (!isReferenceViolation(error)) throw error;
      const references = await referencesTo(ctx.deps.db, kind.records, at.id, readingOf(ctx.principal));
      throw new AppError('in_use', undefined, { references }, { cause: error });
    }
  });

/** Maximum attempts of a write without a revision, if other writes change the object between its read and its write. */
const tries = 60;

/**
 * Repeats a write after a conflict with another one. The random delay prevents the same writes from colliding
 * repeatedly.
 */
export async function untilUncontested<T>(
  { ifMatch = '*' }: Conditions,
  write: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const isLost = raisedByMust(error)?.code === 'precondition_failed';
      if (!isLost || ifMatch.trim() !== '*' || attempt === tries) throw error;
      const longestMs = Math.min(5 * attempt, 50);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs));
    }
  }
}

/** Deletes several objects, by ids or all within the scope, in one batch with one audit event. */
export async function removeRecords<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  body: { ids: string[] } | { all: true },
  {
    parent,
    protection = [],
    before,
  }: { parent?: string; protection?: readonly ProtectionRule[]; before?: (h: Db) => Statement[] } = {},
): Promise<Body> {
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action: 'bulk_destroy',
    object_type: kind.type,
  });
  const selection = 'ids' in body ? body.ids : 'all';
  const result = await bulkDestroy(ctx.deps.db, kind.records, selection, reachOf(ctx, parent), {
    protection,
    ...(before && { before }),
    audit,
  });
  const failed = result.failed.map((entry) => ({ ...entry, detail: inLanguage(entry.detail, ctx.language) }));
  return { ...result, failed };
}

function assertImmutable<S extends Selection>(kind: RecordKind<S>, row: Row<S>, body: Body): void {
  const changed = kind.immutable.filter(
    (name) => Object.hasOwn(body, name) && body[name] !== Reflect.get(row, name),
  );
  const errors = changed.map(
    (name): FieldError => ({
      pointer: `/${name}`,
      code: 'immutable',
      detail: 'Cannot be changed after creation',
    }),
  );
  if (errors.length > 0) throw invalid(...errors);
}

const alongside = ({ before, after, computed }: Extras, audit: AuditEntry): Alongside => ({
  ...(before && { before }),
  after: (h) => [
    ...(after?.(h) ?? []),
    computed ? appendAuditWith(h, audit, computed) : appendAudit(h, audit),
  ],
});

const withColumns = (values: Values, columns: Record<string, unknown> = {}): Values => ({
  ...values,
  columns: { ...values.columns, ...columns },
});

const nameOf = (body: object): string => String(Reflect.get(body, 'name') ?? '');
