import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../shared/tooling/embedded/database.ts';

const module = new URL('../../../shared/tooling/embedded/database.ts', import.meta.url).href;

/** A process that owns the database of a folder, and its URL. */
async function startOwner(folder: string): Promise<{ owner: ChildProcess; url: string }> {
  const script = `const { startEmbeddedDatabase } = await import('${module}');
    console.log((await startEmbeddedDatabase({ folder: ${JSON.stringify(folder)} })).ownerUrl); setInterval(() => {}, 1e6)`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = once(owner, 'exit').then(() => Promise.reject(new Error('the owner ended')));
  const [url] = await Promise.race([once(createInterface({ input: owner.stdout }), 'line'), failed]);
  failed.catch(() => undefined);
  return { owner, url: String(url) };
}

async function kill(owner: ChildProcess): Promise<void> {
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

describe('the embedded database', () => {
  let parent: string;
  let database: EmbeddedDatabase;
  let portal: pg.Pool;
  let sidecar: pg.Pool;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'embedded-'));
    database = await startEmbeddedDatabase({ folder: join(parent, 'shared') });
    portal = new pg.Pool({ connectionString: database.ownerUrl, max: 8 });
    sidecar = new pg.Pool({ connectionString: database.ownerUrl, max: 8 });
    await portal.query('create table counters (id int primary key, value int not null)');
    await portal.query('insert into counters values (1, 0), (2, 0)');
  });

  afterAll(async () => {
    await Promise.all([portal?.end(), sidecar?.end()]);
    await database?.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  it('loses no update of 50 concurrent transactions that lock one row from two pools', async () => {
    const increment = async (pool: pg.Pool) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const { rows } = await client.query('select value from counters where id = $1 for update', [1]);
        await client.query('update counters set value = $1 where id = 1', [rows[0].value + 1]);
        await client.query('commit');
      } finally {
        client.release();
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, n) => increment(n % 2 ? portal : sidecar)));
    const { rows } = await portal.query('select value from counters where id = 1');
    expect(rows).toEqual([{ value: 50 }]);
  });

  it('never mixes statements whose messages arrive in many pieces', async () => {
    const wide = 'x'.repeat(300_000);
    const ask = async (n: number): Promise<boolean> => {
      const [pool, text] =
        n % 2
          ? [portal, 'select $1::int as n, $2::text as wide']
          : [sidecar, 'select $2::text as wide, $1::text as n'];
      // Prepared under one name in both pools, for two different texts.
      const { rows } = await pool.query({ text, values: [n, wide], ...(n % 3 && { name: 'same' }) });
      return Number(rows[0].n) === n && rows[0].wide === wide;
    };
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)));
    expect(answers).not.toContain(false);
  });

  it('continues after errors, inside and outside of transactions', async () => {
    await expect(portal.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(portal.query('select nothing')).rejects.toMatchObject({ code: '42703' });
    await expect(portal.query('copy counters from stdin')).rejects.toMatchObject({ code: '0A000' });
    const client = await sidecar.connect();
    await client.query('begin');
    await client.query('update counters set value = 7 where id = 2');
    await expect(client.query('insert into counters values (2, 2)')).rejects.toMatchObject({ code: '23505' });
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('rollback');
    client.release();
    const { rows } = await portal.query('select value from counters where id = 2');
    expect(rows).toEqual([{ value: 0 }]);
  });

  it('rolls back the open transaction of a client that disconnects, at any point', async () => {
    for (let round = 0; round < 24; round++) {
      const client = new pg.Client(database.ownerUrl);
      client.on('error', () => undefined);
      await client.connect();
      const statements: pg.QueryConfig[] = [
        { text: 'begin' },
        { text: 'update counters set value = $1 where id = 2', values: [round + 100] },
        { text: 'select $1::text', values: ['x'.repeat(round * 20_000)] },
      ].slice(0, 1 + (round % 3));
      const last = statements.pop();
      for (const statement of statements) await client.query(statement);
      const dying = client.query(last ?? { text: 'begin' }).catch(() => undefined);
      if (round % 2) await new Promise((resolve) => setImmediate(resolve));
      // `end` would send Terminate first; a killed process does not.
      const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
      connection.stream.destroy();
      await dying;
      const { rows } = await portal.query(
        'select value, now() = statement_timestamp() as fresh from counters where id = 2',
      );
      expect(rows).toEqual([{ value: 0, fresh: true }]);
    }
  });

  it('has trigram indexes, and its folder is inaccessible to other users', async () => {
    await portal.query('create extension if not exists pg_trgm');
    const { rows } = await portal.query(`select similarity('farm', 'farms') > 0.5 as similar`);
    expect(rows).toEqual([{ similar: true }]);
    expect(statSync(join(parent, 'shared')).mode & 0o077).toBe(0);
  });

  it('has one owner per folder: a second start names the first', async () => {
    const second = startEmbeddedDatabase({ folder: join(parent, 'shared') });
    await expect(second).rejects.toThrow(
      `DATA_DIR: ${join(parent, 'shared')} is in use by process ${process.pid}; stop it, or set another folder`,
    );
  });

  it('loses no acknowledged row when its process is killed, and its folder can be reused at once', async () => {
    const folder = join(parent, 'killed');
    let acknowledged = 0;
    for (let round = 0; round < 2; round++) {
      const { owner, url } = await startOwner(folder);
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      await client.connect();
      await client.query('create table if not exists rows (n int primary key)');
      const stopAt = acknowledged + 150;
      const dead = once(owner, 'exit');
      for (let n = acknowledged; ; n++) {
        const isWritten = await client.query('insert into rows values ($1)', [n]).then(
          () => true,
          () => false,
        );
        if (!isWritten) break;
        acknowledged = n + 1;
        // Sent while further rows are being received.
        if (acknowledged === stopAt) owner.kill('SIGKILL');
      }
      await dead;
      const again = await startOwner(folder);
      const reader = new pg.Client(again.url);
      reader.on('error', () => undefined);
      await reader.connect();
      const { rows } = await reader.query('select count(*)::int as found, max(n) as last from rows');
      expect(rows[0].found).toBeGreaterThanOrEqual(acknowledged);
      acknowledged = rows[0].last + 1;
      await kill(again.owner);
    }
  }, 60_000);

  it('replaces a cluster whose creation was interrupted', async () => {
    const folder = join(parent, 'interrupted');
    mkdirSync(join(folder, 'cluster', 'base'), { recursive: true });
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '18\n');
    const started = await startEmbeddedDatabase({ folder });
    const client = new pg.Client(started.ownerUrl);
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await started.stop();
  });

  it('serves a folder whose path is too long for a socket', async () => {
    const started = await startEmbeddedDatabase({ folder: join(parent, 'l'.repeat(120)) });
    const client = new pg.Client(started.ownerUrl);
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await started.stop();
  });
});
