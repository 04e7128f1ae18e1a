import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

/** A generated migration. `at` is its `when` in the journal (Unix time in ms) and orders migrations. */
export type Migration = { at: number; hash: string; statements: string[] };

/** A file of `db/sql`. `digest` is the SHA-256 of its text. */
export type SqlFile = { name: string; digest: string; text: string };

/**
 * The migrations that the first one replaces, as hashes, and the digests of the tables (`fingerprint.ts`) that both
 * histories create.
 */
type AdoptedHistory = { migrations: string[]; tables: Record<string, string> };

/** The schema that a version of the program needs. `stampedAt` is the time of the last change of `sqlFiles`. */
export type SchemaFiles = {
  migrations: Migration[];
  adopted: AdoptedHistory;
  sqlFiles: SqlFile[];
  stampedAt: number;
};

/** The time (Unix time in ms) at which the files of `db/sql` had this digest for the first time. */
export type Stamp = { when: number; digest: string };

/** This folder's parent, `db`. */
export const schemaFolder = fileURLToPath(new URL('..', import.meta.url));

/** The file that is applied before the migrations; all others are applied after them. */
export const firstFile = 'before-migrations.sql';

/**
 * Reads the migrations and the SQL files of a version.
 * @param folder has the folders `migrations` and `sql`
 */
export function readSchemaFiles(folder = schemaFolder): SchemaFiles {
  const migrations = readMigrationFiles({ migrationsFolder: `${folder}/migrations` });
  return {
    migrations: migrations.map(({ folderMillis, hash, sql }) => ({
      at: folderMillis,
      hash,
      statements: sql,
    })),
    adopted: JSON.parse(readFileSync(`${folder}/migrations/adopted.json`, 'utf8')),
    sqlFiles: readSqlFiles(folder),
    stampedAt: readStamp(folder).when,
  };
}

/** The files of `db/sql` in the order of their names, `firstFile` first. */
export function readSqlFiles(folder = schemaFolder): SqlFile[] {
  const names = readdirSync(`${folder}/sql`).filter((name) => name.endsWith('.sql'));
  const rank = (name: string): string => (name === firstFile ? '' : name);
  return names
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((name) => {
      const text = readFileSync(`${folder}/sql/${name}`, 'utf8');
      return { name, text, digest: sha256(text) };
    });
}

export const stampPath = (folder = schemaFolder): string => `${folder}/sql/stamp.json`;

export const readStamp = (folder = schemaFolder): Stamp =>
  JSON.parse(readFileSync(stampPath(folder), 'utf8'));

/** One digest of all files: it changes when a file is added, changed, renamed or deleted. */
export const digestOf = (files: readonly SqlFile[]): string =>
  sha256(files.map(({ name, digest }) => `${name} ${digest}\n`).join(''));

/** The stamp after a change of the files; the same one when none has changed. Times only increase. */
export function nextStamp(stamp: Stamp, files: readonly SqlFile[], now: number): Stamp {
  const digest = digestOf(files);
  return digest === stamp.digest ? stamp : { when: Math.max(now, stamp.when + 1), digest };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
