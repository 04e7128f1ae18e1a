import pg from 'pg';
import { vi } from 'vitest';
import { type LogPosition, parsePosition } from '../../../db/replica/position.ts';
import type { FreshDatabase } from '../database/database.ts';
import { type DatabaseServer, startDatabaseServer } from '../database/stand.ts';
import { type Standby, startStandby } from './postgres-standby.ts';

/** A migrated database with a standby that replays the log when the test says so. */
export type Replicated = {
  primary: DatabaseServer;
  standby: Standby;
  /** The database on the primary. */
  database: FreshDatabase;
  /** The address of the database on the standby, with the role of a URL of the primary. */
  onStandby(url: string): string;
  /** A connection to the standby as the administrator. */
  standbyAdmin: pg.Client;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the standby has everything. */
  caughtUp(): Promise<void>;
  /** Waits until the last transaction that the standby has replayed is older than that. */
  ageBeyond(ms: number): Promise<void>;
  stop(): Promise<void>;
};

export async function startReplicated(): Promise<Replicated> {
  const primary = await startDatabaseServer();
  const standby = await startStandby(primary.url);
  const onStandby = (url: string): string => Object.assign(new URL(url), { port: String(standby.port) }).href;
  const standbyAdmin = new pg.Client({ connectionString: onStandby(primary.url) });
  standbyAdmin.on('error', () => undefined);
  await standbyAdmin.connect();
  const replay = async (statement: string): Promise<void> => void (await standbyAdmin.query(statement));
  return {
    primary,
    standby,
    database: { ...primary.address, superuserUrl: primary.url, drop: async () => undefined },
    onStandby,
    standbyAdmin,
    pause: async () => {
      await replay('select pg_wal_replay_pause()');
      // The request is not fulfilled at once.
      await replay(`do $$ begin
        while pg_get_wal_replay_pause_state() <> 'paused' loop perform pg_sleep(0.01); end loop; end $$`);
    },
    resume: () => replay('select pg_wal_replay_resume()'),
    caughtUp: async () => {
      const written = await positionOf(primary.admin, 'pg_current_wal_insert_lsn()');
      const replayed = () => positionOf(standbyAdmin, 'pg_last_wal_replay_lsn()');
      await vi.waitUntil(async () => (await replayed()) >= written, { timeout: 30_000, interval: 5 });
    },
    ageBeyond: (ms) =>
      replay(`do $$ begin
        while clock_timestamp() - pg_last_xact_replay_timestamp() <= interval '${ms} ms' loop
          perform pg_sleep(0.01);
        end loop; end $$`),
    stop: async () => {
      await standbyAdmin.end();
      await standby.stop();
      await primary.stop();
    },
  };
}

async function positionOf(server: pg.Client, place: string): Promise<LogPosition> {
  const { rows } = await server.query<{ position: string }>(`select ${place}::text as position`);
  return parsePosition(rows[0]?.position ?? '');
}
