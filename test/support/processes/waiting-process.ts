import { sql } from 'drizzle-orm';
import { connectPg } from '../../../db/pg.ts';

/** Runs a statement that takes five minutes, for a test that kills this process meanwhile. */
const { DATABASE_URL: url = '' } = process.env;
const { db } = connectPg({ url, applicationName: 'waiting', statementTimeoutMs: 600_000, maxConnections: 1 });
await db.execute(sql`select pg_sleep(300)`);
