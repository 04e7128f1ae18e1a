import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { pgFault } from '../../../db/errors.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import { ownsConstraint } from '../../../db/repositories/records/constraint-violations.ts';
import { type Row, readRow, type Selection, type Values } from '../../../db/repositories/records/records.ts';
import { changesBetween, entityAction } from '../../context/audit-entry.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { type RecordKind, valuesOf } from './kind.ts';
import { assertNewName } from './new-names.ts';
import { explainWrite } from './refusals.ts';

/** One record of a joint creation. `member` is its place in the body of the request. */
export type JointPart = {
  member: string;
  // Each part has columns of its own, and a list of parts has no common ones.
  // biome-ignore lint/suspicious/noExplicitAny: the rows are only passed to the view of their own kind
  kind: RecordKind<any>;
  id: string;
  body: Record<string, unknown>;
  /** Columns that are not public members, such as sealed secrets. */
  columns?: Record<string, unknown>;
};

type Prepared = JointPart & { values: Values; audit: AuditEntry };

/**
 * Creates several records, each with its audit event, in one batch: all of them or none.
 * @returns the created records by their members
 * @throws AppError `already_exists` and `invalid_request` with pointers into the members
 */
export async function createTogether(
  ctx: Ctx<BaseDeps>,
  parts: readonly JointPart[],
): Promise<Record<string, Record<string, unknown>>> {
  const prepared = parts.map((part) => prepare(ctx, part));
  const reach = { scope: ctx.scope };
  const build = (h: Db): Statement[] => [
    ...prepared.flatMap(({ kind, id, values, audit }) => [
      ...kind.records.creation(h, id, values, reach),
      appendAudit(h, audit),
    ]),
    ...prepared.map(({ kind, id }) => readRow(kind.records.spec, h, id)),
  ];
  const results = await atomically(ctx.deps.db, build).catch(async (error) => {
    throw await explained(ctx, prepared, error);
  });
  const rows = results.slice(-prepared.length) as Row<Selection>[][];
  return Object.fromEntries(prepared.map(({ member, kind }, at) => [member, kind.view(rows[at]?.[0] ?? {})]));
}

function prepare(ctx: Ctx<BaseDeps>, part: JointPart): Prepared {
  const { kind, id, body, member, columns } = part;
  within(member, () => assertNewName(kind.type, body));
  const values = valuesOf(kind, body);
  const object = { type: kind.type, id, name: String(body.name ?? ''), revision: 1 };
  const audit = entityAction(ctx, 'create', object, changesBetween({}, body, kind.secrets));
  return { ...part, values: { ...values, columns: { ...values.columns, ...columns } }, audit };
}

/** The error of the record whose constraint is violated. */
async function explained(ctx: Ctx<BaseDeps>, parts: readonly Prepared[], error: unknown): Promise<unknown> {
  const constraint = pgFault(error)?.constraint ?? '';
  const part = parts.find(({ kind }) => ownsConstraint(kind.records, constraint));
  if (!part) return error;
  const reason = await explainWrite(ctx, part.kind, part.values, { scope: ctx.scope }, error);
  return placed(part.member, reason);
}

/** Runs a check of one member. @throws AppError with pointers into the member */
export function within<T>(member: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw placed(member, error);
  }
}

function placed(member: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, detail, members } = error;
  const errors = members.errors?.map((fault) => ({ ...fault, pointer: `/${member}${fault.pointer}` }));
  return new AppError(code, detail, { ...members, ...(errors && { errors }) }, { cause: error });
}
