import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';

const tables = `select count(*)::int as tables from information_schema.tables where table_schema = 'public'`;

describe('a fresh database of a test', () => {
  let mine: FreshDatabase;
  let other: FreshDatabase;
  beforeAll(async () => {
    [mine, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([mine.drop(), other.drop()]);
  });

  it('has the tables of all migrations', async () => {
    const [row] = await rowsOf(mine, tables);
    expect(row?.tables).toBeGreaterThan(10);
  });

  it('is isolated from other ones', async () => {
    await rowsOf(mine, 'create table only_here (id int)');
    expect(await rowsOf(other, `select to_regclass('only_here') as found`)).toEqual([{ found: null }]);
    expect(await rowsOf(mine, `select to_regclass('only_here')::text as found`)).toEqual([
      { found: 'only_here' },
    ]);
  });

  it('sorts by bytes and uses UTF-8, like every deployment', async () => {
    const [row] = await rowsOf(mine, `select 'Z' < 'a' as bytewise, length('ä😀') as characters`);
    expect(row).toEqual({ bytewise: true, characters: 2 });
  });
});

async function rowsOf(
  { ownerUrl: url }: FreshDatabase,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
