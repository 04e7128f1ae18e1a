import type { z } from 'zod';
import type { Records, Row, Selection, Values } from '../../../db/repositories/records/records.ts';
import { foldName } from '../../kernel/text.ts';
import type { ResourceType } from '../../resources.ts';
import { type View, viewOf } from '../../shapes/views.ts';

/** The properties of a record type that writes use: its rows, its public shape and its names. */
export type RecordKind<S extends Selection> = {
  /** Singular, as in operation ids, audit events and references. */
  type: ResourceType;
  /** Path of the collection. */
  path: string;
  records: Records<S>;
  view: View<Record<string, unknown>>;
  /** Members that a write may set. */
  writable: readonly string[];
  /** Members that occur only in responses. A write ignores them. */
  readOnly: readonly string[];
  secrets: ReadonlySet<string>;
  /** Case-folded copies of members: column ← member. */
  folds: Record<string, string>;
  /** Members that can be set only at creation. */
  immutable: readonly string[];
  /** The member that assigns a row to a site. */
  placedBy?: string;
};

export type KindDeclaration<S extends Selection, W extends z.ZodObject> = {
  type: ResourceType;
  path: string;
  records: Records<S>;
  view: z.ZodObject;
  write: W;
  secrets?: readonly string[];
  folds?: Record<string, string>;
  immutable?: readonly string[];
  placedBy?: string;
};

export function recordKind<S extends Selection, W extends z.ZodObject>({
  view,
  write,
  secrets = [],
  folds,
  immutable = [],
  ...kind
}: KindDeclaration<S, W>): RecordKind<S> {
  const writable = Object.keys(write.shape);
  return {
    ...kind,
    view: viewOf(view),
    writable,
    readOnly: Object.keys(view.shape).filter((name) => !writable.includes(name)),
    immutable,
    secrets: new Set(secrets),
    folds: folds ?? { name_key: 'name' },
  };
}

/** Returns the writable members of a row without secrets, to which a merge patch is applied. */
export function writableOf<S extends Selection>(kind: RecordKind<S>, row: Row<S>): Record<string, unknown> {
  const shown = kind.view(row);
  const names = kind.writable.filter(
    (name) => !kind.secrets.has(name) && shown[name] !== null && shown[name] !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

/** Converts the members of a validated body to columns and links, and adds the case-folded copies. */
export function valuesOf<S extends Selection>(kind: RecordKind<S>, body: Record<string, unknown>): Values {
  const links = kind.records.spec.links ?? {};
  const entries = Object.entries(body);
  const folded = Object.entries(kind.folds).flatMap(([column, member]) =>
    typeof body[member] === 'string' ? [[column, foldName(body[member])] as const] : [],
  );
  return {
    columns: {
      ...Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(links, name))),
      ...Object.fromEntries(folded),
    },
    links: Object.fromEntries(entries.filter(([name]) => Object.hasOwn(links, name))) as Values['links'],
  };
}
