import { readTogether } from '../../../../db/client.ts';
import {
  historyList,
  isCreationRecorded,
  type RecordedValues,
  type RecordSubject,
  versionStatement,
} from '../../../../db/repositories/audit/record-history.ts';
import { listPage } from '../../../../db/repositories/records/pages.ts';
import {
  narrowedTo,
  type Row,
  reachable,
  readRow,
  type Selection,
} from '../../../../db/repositories/records/records.ts';
import type { FieldChange } from '../../../../db/schema/audit/events.ts';
import type { BaseDeps, Ctx } from '../../../context/context.ts';
import { notFound } from '../../../kernel/errors.ts';
import type { Actor } from '../../../kernel/names/actors.ts';
import type { ListQuery } from '../../../shapes/list.ts';
import { pageAnswer, pageQuery } from '../../declare/list.ts';
import type { Answer } from '../../serve/answer.ts';
import type { RecordKind } from '../kind.ts';
import { findRecord } from '../writes.ts';
import { actionNames } from './shapes.ts';
import { type RecordState, stateAt } from './state.ts';

type AnyCtx = Ctx<BaseDeps>;
/** The record of a request. */
export type RecordAddress = { id: string; parent: string | undefined };

/** The members of an event that a history shows, besides its changes. */
type Version = {
  version: string;
  at: Date;
  actor: Actor | null;
  user: string | null;
  domain: string | null;
  service_token: string | null;
  action: string | null;
  request_id: string | null;
};

const subjectOf = <S extends Selection>(
  { scope }: AnyCtx,
  { type, records, placedBy }: RecordKind<S>,
  { id, parent }: RecordAddress,
): RecordSubject<Selection> => ({
  type,
  id,
  spec: records.spec as never,
  reach: { scope, ...(parent !== undefined && { parent }) },
  placedBy,
});

/**
 * Returns a page of the versions of a record, newest first.
 * @throws AppError `not_found`, `malformed_cursor`
 */
export async function answerHistory<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  at: RecordAddress,
  query: ListQuery,
): Promise<Answer> {
  const subject = subjectOf(ctx, kind, at);
  const { db } = ctx.deps;
  const page = await pageQuery(ctx, query, at.id);
  const [row, { rows, next, total }, complete] = await Promise.all([
    findRecord(ctx, kind, at.id, at.parent),
    listPage(db, historyList, { ...page, filters: { record: subject } }),
    isCreationRecorded(db, subject),
  ]);
  const items = rows.map((event) => ({
    ...shownVersion(event),
    changes: shownChanges(ctx, kind, row, event.changes),
  }));
  return pageAnswer(ctx, query, { items, next, total, beside: { complete } }, at.id);
}

const shownVersion = ({ version, at, actor, user, domain, service_token, action, request_id }: Version) => ({
  version,
  at: at.toISOString(),
  actor,
  user,
  domain,
  service_token,
  action: Object.entries(actionNames).find(([name]) => name === action)?.[1] ?? 'updated',
  request_id,
});

/**
 * Changes of members of the record. An event can also contain other objects, which the caller may not be allowed to
 * read. Values from the time before the record came into the scope are left out.
 */
function shownChanges<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  row: Row<S>,
  changes: readonly FieldChange[],
): FieldChange[] {
  const members = new Set([...kind.writable, ...kind.readOnly]);
  const hasArrived = changes.some((change) => isArrival(ctx, kind, change));
  return changes
    .filter(({ field }) => members.has(field))
    .map(({ field, before, after }) => ({
      field,
      before: hasArrived ? null : visible(ctx, kind, row, field, before),
      after: visible(ctx, kind, row, field, after),
    }));
}

const isArrival = <S extends Selection>(
  { scope }: AnyCtx,
  { placedBy }: RecordKind<S>,
  { field, before }: FieldChange,
): boolean =>
  scope !== '*' &&
  placedBy === 'site_id' &&
  field === placedBy &&
  before !== null &&
  !scope.includes(String(before));

/** The value of a member without the parts outside of the scope. */
function visible<S extends Selection>(
  { scope }: AnyCtx,
  { records: { spec } }: RecordKind<S>,
  row: Row<S>,
  name: string,
  value: unknown,
): unknown {
  if (value === null || value === undefined) return null;
  return Reflect.get(narrowedTo(spec, { ...row, [name]: value }, scope), name);
}

/** A version with the state of the record at that time. Values outside of the scope of the caller are included. */
export type VersionState<S extends Selection> = RecordState & {
  row: Row<S>;
  event: Version;
  isCreated: boolean;
};

/**
 * Computes a version of a record. One round trip.
 * @returns undefined if the record has no such version within the scope
 * @throws AppError `not_found` if the record does not exist
 */
export async function findVersion<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  at: RecordAddress,
  version: string,
): Promise<VersionState<S> | undefined> {
  const subject = subjectOf(ctx, kind, at);
  const { spec } = kind.records;
  const [rows, events] = await readTogether(ctx.deps.db, (h) => [
    readRow(spec, h, at.id, reachable(spec, subject.reach)),
    versionStatement(h, subject, version),
  ]);
  const [row] = rows as Row<S>[];
  const [event] = events as (Version & { recorded: RecordedValues })[];
  if (!row) throw notFound();
  if (!event) return undefined;
  const state = stateAt(restorable(kind, row), event.recorded);
  return { ...state, row, event, isCreated: event.recorded.isCreated };
}

/** The members that responses contain and writes can set, except secrets. */
function restorable<S extends Selection>(kind: RecordKind<S>, row: Row<S>): Record<string, unknown> {
  const shown = kind.view(row);
  return Object.fromEntries(restorableNames(kind).map((name) => [name, shown[name]]));
}

export const restorableNames = <S extends Selection>({ writable, view, secrets }: RecordKind<S>): string[] =>
  writable.filter((name) => view.columns.values.includes(name) && !secrets.has(name));

/** @throws AppError `not_found` */
export async function answerVersion<S extends Selection>(
  ctx: AnyCtx,
  kind: RecordKind<S>,
  at: RecordAddress,
  version: string,
): Promise<object> {
  const found = await findVersion(ctx, kind, at, version);
  if (!found) throw notFound();
  const { row, event, values, uncertain, absent, isCreated } = found;
  const state = Object.entries({ ...values, ...uncertain }).map(([name, value]) => [
    name,
    visible(ctx, kind, row, name, value),
  ]);
  return {
    ...shownVersion(event),
    state: Object.fromEntries(state),
    absent,
    uncertain: Object.keys(uncertain),
    complete: isCreated && Object.keys(uncertain).length === 0,
  };
}
