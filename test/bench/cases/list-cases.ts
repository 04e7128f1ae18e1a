import type pg from 'pg';
import { createSealer, type Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { type ListIdentity, sealCursor } from '../../../shared/kernel/cursor.ts';
import { domain } from '../../simulator/demo/seed.ts';
import type { Rows } from '../fill.ts';

/** A page of a list: its name and its path with query. */
export type ListCase = { name: string; path: string };

const webui = '/api/webui/aggregator';
/** The position of the deep page in a list. */
const depth = 0.9;

/** The measured pages of the lists of `fillLists`. */
export async function listCases(database: pg.Pool, secretKey: string, rows: Rows): Promise<ListCase[]> {
  const sealer = await (await createSealer([secretKey])).derive('cursor');
  const { domain_id, group_id } = await placesOf(database);
  const users = `${webui}/authenticators/${domain_id}/users`;
  const deepUsers = await deepCursor(database, sealer, {
    list: { resource: 'user.list', filters: { parent: domain_id }, sort: 'name', scope: '*' },
    order: `select name_key as key, id from users where authenticator_id = '${domain_id}' order by name_key, id`,
    rows: rows.users,
  });
  const journal = (resource: string, table: 'audit_events' | 'monitoring_records') =>
    deepCursor(database, sealer, {
      list: { resource, filters: {}, sort: '-at', scope: '*' },
      order: `select at::text as key, id from ${table} order by at desc, id desc`,
      rows: rows[table],
    });
  return [
    ...casesOf('users', users, {
      first: {},
      deep: { cursor: deepUsers },
      state: { state: 'inactive' },
      kind: { kind: 'service' },
      group: { group: group_id },
      search: { search: 'User-00042' },
      'broad search': { search: 'user-' },
    }),
    ...casesOf('audit', `${webui}/audit`, {
      first: {},
      deep: { cursor: await journal('audit.list', 'audit_events') },
      user: { user: 'user-000042' },
      object_type: { object_type: 'farm' },
      source_ip: { source_ip: '10.20.4.200' },
    }),
    ...casesOf('monitoring', `${webui}/monitoring`, {
      first: {},
      deep: { cursor: await journal('monitoring_record.list', 'monitoring_records') },
      level: { level: 'critical' },
      search: { search: 'NODE-0004' },
    }),
  ];
}

export const casesOf = (
  list: string,
  path: string,
  queries: Record<string, Record<string, string>>,
): ListCase[] =>
  Object.entries(queries).map(([page, query]) => ({
    name: `${list}, ${page}`,
    path: `${path}?${new URLSearchParams(query)}`,
  }));

async function placesOf(database: pg.Pool): Promise<{ domain_id: string; group_id: string }> {
  const { rows } = await database.query<{ domain_id: string; group_id: string }>(
    `select d.id as domain_id, g.id as group_id from authenticators as d join groups as g on g.authenticator_id = d.id
     where d.small_name = $1 and g.name_key = 'group 42'`,
    [domain.small_name],
  );
  const [found] = rows;
  if (!found) throw new Error('the lists are not filled');
  return found;
}

export type Deep = { list: ListIdentity; order: string; rows: number };

/** Sealed here like the portal does, which would have to read thousands of pages to reach it. */
export async function deepCursor(
  database: pg.Pool,
  sealer: Sealer,
  { list, order, rows }: Deep,
): Promise<string> {
  const offset = Math.floor(rows * depth);
  const { rows: found } = await database.query<{ key: string; id: string }>(
    `${order} offset ${offset} limit 1`,
  );
  const [position] = found;
  if (!position) throw new Error(`${list.resource} has no row ${offset}`);
  return sealCursor(sealer, list, position);
}
