import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts';
import { judgePlans } from './plans.ts';

let fresh: FreshDatabase;
let database: pg.Pool;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = new pg.Pool({ connectionString: fresh.ownerUrl, max: 1 });
  await database.query('create table shelf (id int primary key, colour int not null)');
  await database.query('insert into shelf select n, n % 2 from generate_series(1, 5000) as n');
  await database.query('vacuum analyze shelf');
});
afterAll(async () => {
  await database.end();
  await fresh.drop();
});

const judge = (text: string, values: unknown[] = []) => judgePlans(database, [{ text, values }], ['shelf']);

it('the plan check accepts index scans for key lookups', async () => {
  expect(await judge('select * from shelf where id > $1 order by id limit 5', [4000])).toEqual({
    verdict: 'by index',
  });
});

it('the plan check reports a full scan of a large table and a sort of it', async () => {
  const { verdict, text } = await judge('select * from shelf order by colour, id limit 5');
  expect(verdict).toBe('Sort of 5000 rows, Seq Scan on shelf');
  expect(text).toContain('Seq Scan on shelf');
});

it('the plan check reports a long index scan that returns few rows', async () => {
  const { verdict } = await judge('select * from shelf where colour = $1 order by id limit 5', [7]);
  expect(verdict).toMatch(/on shelf discards 5000 rows/);
});
