import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { atomically, type Connection, withTransaction } from '../../../../db/client.ts';
import { connectPg } from '../../../../db/pg.ts';
import { formatNames, roleFormat } from '../../../../db/postgres/session/formats.ts';
import { auditEvents } from '../../../../db/schema/audit/events.ts';
import { createSealer } from '../../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { assertSecretKey, isSecretKeyChecked } from '../../../../shared/runtime/config/secret-key.ts';
import { type FreshDatabase, freshDatabase, query } from '../../../support/database/database.ts';
import { connectBy } from '../../../support/database/neon-proxy.ts';
import { hasPgbouncer, startPgbouncer } from '../../../support/database/pgbouncer.ts';
import { newSecretKey } from '../../../support/identity/signing-keys.ts';
import { requireService } from '../../../support/services.ts';

/** Defaults of a role in a database that change what a session returns or what a statement means. */
const defaults = [
  { setting: 'DateStyle', value: 'German', shown: 'German, DMY' },
  { setting: 'DateStyle', value: 'SQL, DMY', shown: 'SQL, DMY' },
  { setting: 'IntervalStyle', value: 'sql_standard', shown: 'sql_standard' },
  { setting: 'bytea_output', value: 'escape', shown: 'escape' },
  { setting: 'default_transaction_isolation', value: 'serializable', shown: 'serializable' },
  { setting: 'extra_float_digits', value: '-15', shown: '-15' },
  { setting: 'search_path', value: 'pg_catalog', shown: 'pg_catalog' },
  { setting: 'standard_conforming_strings', value: 'off', shown: 'off' },
  { setting: 'TimeZone', value: 'Asia/Kathmandu', shown: 'Asia/Kathmandu' },
] as const;

const sealer = await createSealer([newSecretKey()]);
const at = new Date('2026-03-04T05:06:07.089Z');
const text = 'C:\\new\\path';

requireService('pgbouncer', hasPgbouncer && inject('postgresUrl') !== '')(
  'a database with other defaults',
  () => {
    let database: FreshDatabase;
    let name: string;
    beforeAll(async () => {
      database = await freshDatabase();
      name = new URL(database.url).pathname.slice(1);
      const connection = connectPg({ url: database.url, maxConnections: 1 });
      await assertSecretKey(connection.db, sealer);
      await connection.close();
    });
    afterAll(() => database?.drop());
    const asAdmin = (statement: string) => query(inject('postgresUrl'), statement);

    const ways: Record<string, () => Promise<Connection>> = {
      'a direct connection': async () => connectPg({ url: database.url, maxConnections: 2 }),
      'PgBouncer, which rejects start-up options,': async () => throughPgbouncer([]),
      'PgBouncer, which ignores start-up options,': async () => throughPgbouncer(['options']),
    };
    async function throughPgbouncer(ignored: string[]): Promise<Connection> {
      const bouncer = await startPgbouncer({ server: database.url, users: [role()], ignored });
      const { db, close } = connectPg({ url: bouncer.through(database.url), maxConnections: 2 });
      return { db, close: () => close().then(bouncer.stop) };
    }

    const role = () => decodeURIComponent(new URL(database.url).username);
    const setDefault = (setting: string, value: string) =>
      asAdmin(`alter role "${role()}" in database ${name} set ${setting} = '${value}'`);
    afterEach(() => asAdmin(`alter role "${role()}" in database ${name} reset all`));

    /** What is read in each way that a request can take: alone, in a batch, and in a transaction. */
    async function readings({ db }: Connection): Promise<unknown[]> {
      const id = newId();
      const event = { event: text, category: 'config', level: 'info', result: 'success' } as const;
      await db.insert(auditEvents).values({ ...event, id, at });
      const read = (h: typeof db) =>
        h
          .select({
            at: auditEvents.at,
            event: auditEvents.event,
            literal: sql<string>`'a\\b'`,
            float: sql<number>`0.1::float8 + 0.2::float8`,
            bytes: sql<Buffer>`'\\x00ff'::bytea`,
            isolation: sql<string>`current_setting('transaction_isolation')`,
            day: sql<string>`date_trunc('day', ${auditEvents.at})::text`,
          })
          .from(auditEvents)
          .where(sql`${auditEvents.id} = ${id}`);
      const alone = await read(db);
      const [batch] = await atomically(db, (h) => [read(h)]);
      return [alone, batch, await withTransaction(db, (tx) => read(tx))].flat();
    }
    const expected = {
      ...{ at, event: text, literal: 'a\\b', float: 0.30000000000000004, bytes: Buffer.from([0, 255]) },
      ...{ isolation: 'read committed', day: '2026-03-04 00:00:00+00' },
    };

    describe.each(Object.keys(ways))('over %s', (way) => {
      it.each(defaults)('is read correctly with $setting = $value', async ({ setting, value }) => {
        await setDefault(setting, value);
        const connection = await ways[way]?.();
        if (!connection) throw new Error('the way is missing');
        try {
          expect(await readings(connection)).toEqual([expected, expected, expected]);
          expect(await isSecretKeyChecked(connection.db, sealer)).toBe(true);
        } finally {
          await connection.close();
        }
      });
    });

    describe('over HTTP to Neon', () => {
      let connection: Connection;
      beforeEach(async () => {
        connection = await connectBy('neon', { url: database.url });
      });
      afterEach(() => connection.close());

      it.each(defaults)('is refused with $setting = $value', async ({ setting, value, shown }) => {
        await setDefault(setting, value);
        const line = [
          `DATABASE_URL: sessions of the role ${role()} have ${setting} = ${shown}, which the portal cannot use; `,
          `run: ${roleFormat(role(), setting)}`,
        ].join('');
        await expect(isSecretKeyChecked(connection.db, sealer)).rejects.toThrow(line);
      });

      it('is accepted after the statements of the refusal', async () => {
        for (const { setting, value } of defaults) await setDefault(setting, value);
        for (const setting of formatNames)
          await asAdmin(roleFormat(role(), setting).replace(' set ', ` in database ${name} set `));
        expect(await isSecretKeyChecked(connection.db, sealer)).toBe(true);
        expect((await readings(connection))[1]).toEqual(expected);
      });
    });
  },
);
