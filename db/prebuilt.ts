import { is, Param, Placeholder, QueryPromise, sql } from 'drizzle-orm';
import { PgDatabase, PgDialect, type PgQueryResultHKT, PgSession } from 'drizzle-orm/pg-core';
import { RecentMap } from '../shared/kernel/concurrency/recent-map.ts';
import type { Db, Statement } from './client.ts';
import { rowMapper } from './row-mapper.ts';

/** The part of a query builder of Drizzle that is used. */
type Builder<Row> = {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Row[]> };
};

/** What Drizzle prepares a query from. */
type Parts = Parameters<PgSession['prepareQuery']>;

/** Values that are sent as they are: a date is given as text. */
type Values = Readonly<Record<string, string | number>>;

const mostForms = 64;

/**
 * Declares a frequent read, whose text is built once per process and form.
 * @param build builds the query. Its values are placeholders, which can only be put into SQL; what the text depends on is
 *   part of the form
 * @returns a function that runs the read on a handle with other values
 */
export function prebuilt<V extends Values, Row>(
  build: (db: Db, values: V, form: string) => Builder<Row>,
): (db: Db, values: V, form?: string) => Promise<Row[]> {
  const forms = new RecentMap<string, Parts>(mostForms);
  return async (db, values, form = '') => {
    const parts = forms.get(form) ?? preparedParts(build, form);
    forms.set(form, parts);
    return (await db._.session.prepareQuery(...parts).execute(values)) as Row[];
  };
}

/** The builder of a statement of a batch. */
type StatementBuilder = { prepare(name: string): unknown };

/** Values of a batch statement: encoded by their column, or as they are in an expression. */
export type StatementValues = Readonly<Record<string, unknown>>;

/**
 * Declares a frequent statement of batches, whose text is built once per process and form.
 * @param build as in `prebuilt`
 */
export function prebuiltStatement<V extends StatementValues>(
  build: (db: Db, values: V, form: string) => StatementBuilder,
): (handle: Db, values: V, form?: string) => Statement {
  const forms = new RecentMap<string, Parts>(mostForms);
  return (handle, values, form = '') => {
    const parts = forms.get(form) ?? preparedParts(build, form);
    forms.set(form, parts);
    const [query, ...others] = parts;
    const params = query.params.map((param) => encodedValue(param, values));
    // A batch needs of a statement that it can be sent, as every query of Drizzle.
    return new PrebuiltStatement(handle._.session, [{ ...query, params }, ...others]) as unknown as Statement;
  };
}

/** Drizzle's own function encodes null like any other value. */
function encodedValue(param: unknown, values: StatementValues): unknown {
  if (is(param, Placeholder)) return values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return param;
  const value = values[param.value.name] ?? null;
  return value === null ? null : param.encoder.mapToDriverValue(value);
}

class PrebuiltStatement extends QueryPromise<unknown> {
  /** The handle that the statement belongs to. */
  readonly session: Db['_']['session'];
  readonly #parts: Parts;

  constructor(session: Db['_']['session'], parts: Parts) {
    super();
    this.session = session;
    this.#parts = parts;
  }

  /** Called by the batches of Neon's driver. */
  _prepare() {
    return this.session.prepareQuery(...this.#parts);
  }

  execute(): Promise<unknown> {
    return this._prepare().execute();
  }
}

function preparedParts<V>(build: (db: Db, values: V, form: string) => StatementBuilder, form: string): Parts {
  const recorder = new Recorder(new PgDialect());
  const db = new PgDatabase<PgQueryResultHKT>(new PgDialect(), recorder, undefined);
  const query = build(db, placeholders as V, form);
  const prepared: unknown = query.prepare('');
  if (!(prepared instanceof Recorded)) throw new Error('the query was not prepared');
  return prepared.parts();
}

/** Any member is the placeholder of this name. */
const placeholders: object = new Proxy(
  {},
  { get: (_, name): Placeholder => Object.assign(sql.placeholder(String(name)), { toString: notAValue }) },
);

function notAValue(): never {
  throw new Error('a placeholder has no value when the text is built');
}

/** A query that was prepared without a connection. */
class Recorded {
  /** Set by the query builder. */
  joinsNotNullableMap: Record<string, boolean> | undefined;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** With a compiled mapping of the rows instead of the fields. */
  parts(): Parts {
    const [query, fields, , isArray, , ...rest] = this.#parts;
    if (!fields) return this.#parts;
    const map = rowMapper(fields, this.joinsNotNullableMap);
    return [query, undefined, undefined, isArray, (rows) => rows.map(map), ...rest];
  }

  setToken(): this {
    return this;
  }
}

/** Records what a query is prepared from. */
class Recorder extends PgSession {
  override prepareQuery(...parts: Parts): never {
    return new Recorded(parts) as never;
  }

  override transaction(): never {
    throw new Error('queries are only built here');
  }
}
