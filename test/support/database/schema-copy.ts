import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  nextStamp,
  readSchemaFiles,
  readSqlFiles,
  readStamp,
  type SchemaFiles,
  schemaFolder,
  stampPath,
} from '../../../db/migrator/files.ts';

/** A copy of the migrations and SQL files of this tree, which a test changes like a later version. */
export type SchemaCopy = {
  /** Replaces a file of `db/sql`; null deletes it. */
  edit(name: string, change: (text: string) => string | null): Promise<void>;
  addMigration(tag: string, statements: readonly string[]): Promise<void>;
  /** The effect of `npm run db:generate` after a change of `db/sql`. */
  stamp(): Promise<void>;
  read(): SchemaFiles;
  remove(): Promise<void>;
};

export async function copySchema(): Promise<SchemaCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-schema-'));
  for (const part of ['migrations', 'sql'])
    await cp(join(schemaFolder, part), join(folder, part), { recursive: true });
  return {
    edit: async (name, change) => {
      const path = join(folder, 'sql', name);
      const text = change(await readFile(path, 'utf8').catch(() => ''));
      await (text === null ? rm(path) : writeFile(path, text));
    },
    addMigration: async (tag, statements) => {
      const path = join(folder, 'migrations', 'meta', '_journal.json');
      const journal: { entries: { idx: number; when: number }[] } = JSON.parse(await readFile(path, 'utf8'));
      const last = journal.entries.at(-1);
      if (!last) throw new Error('the journal is empty');
      journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, ...{ tag } });
      await writeFile(path, JSON.stringify(journal));
      await writeFile(
        join(folder, 'migrations', `${tag}.sql`),
        statements.join(';\n--> statement-breakpoint\n'),
      );
    },
    stamp: async () => {
      const next = nextStamp(readStamp(folder), readSqlFiles(folder), 0);
      await writeFile(stampPath(folder), JSON.stringify(next));
    },
    read: () => readSchemaFiles(folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
