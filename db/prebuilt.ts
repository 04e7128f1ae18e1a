import { PgDatabase, PgDialect, type PgQueryResultHKT, PgSession } from 'drizzle-orm/pg-core';
import type { Db } from './client.ts';

/** The part of a query builder of Drizzle that is used. */
type Builder<Row> = {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Row[]> };
};

/** What Drizzle prepares a query from, without the connection. */
type Prepared = { parts: Parameters<PgSession['prepareQuery']>; joinsNotNullableMap?: unknown };

/**
 * Declares a frequent read. Its text is built once per process, with `sql.placeholder` for each value.
 * @returns a function that runs the read on a handle with these values
 */
export function prebuilt<Values extends Record<string, unknown>, Row>(
  build: (db: Db) => Builder<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  let built: Prepared | undefined;
  return async (db, values) => {
    if (!built) built = preparedParts(build);
    const { parts, joinsNotNullableMap } = built;
    const query = Object.assign(db._.session.prepareQuery(...parts), { joinsNotNullableMap });
    return (await query.execute(values)) as Row[];
  };
}

function preparedParts<Row>(build: (db: Db) => Builder<Row>): Prepared {
  const recorder = new Recorder(new PgDialect());
  // An empty name would be a named statement for Drizzle.
  const prepared: unknown = build(
    new PgDatabase<PgQueryResultHKT>(new PgDialect(), recorder, undefined),
  ).prepare('');
  if (!(prepared instanceof Recorded)) throw new Error('the query was not prepared');
  return prepared;
}

/** A query that was prepared without a connection. */
class Recorded implements Prepared {
  joinsNotNullableMap?: unknown;
  readonly parts: Prepared['parts'];

  constructor([query, fields, , ...rest]: Prepared['parts']) {
    this.parts = [query, fields, undefined, ...rest];
  }

  setToken(): this {
    return this;
  }
}

/** Records what a query is prepared from. */
class Recorder extends PgSession {
  override prepareQuery(...parts: Prepared['parts']): never {
    return new Recorded(parts) as never;
  }

  override transaction(): never {
    throw new Error('queries are only built here');
  }
}
