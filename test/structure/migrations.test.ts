import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { digestOf, readSchemaFiles, readSqlFiles, readStamp } from '../../db/migrator/files.ts';
import { root } from '../e2e/support/portal-process.ts';
import { definedBy } from '../support/database/defined-objects.ts';

const run = promisify(execFile);
const folder = join(root, 'db', 'migrations');
const { migrations } = readSchemaFiles();
const sqlFiles = readSqlFiles();

describe('the generated migrations', () => {
  it('are all in the journal', async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
    const journal: { entries: { tag: string }[] } = JSON.parse(
      await readFile(join(folder, 'meta', '_journal.json'), 'utf8'),
    );
    expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(files.toSorted());
    expect(files.length).toBeGreaterThan(0);
  });

  it('only add objects after the first one, because the previous version runs during the upgrade', () => {
    const narrows =
      /\bDROP (?:COLUMN|TABLE|INDEX|CONSTRAINT)\b|\bRENAME\b|\bSET NOT NULL\b|\bSET DATA TYPE\b/i;
    /** An index that the same migration makes again, with further columns: the previous version does not notice. */
    const isWidened = (statement: string, all: readonly string[]): boolean => {
      const [, name] = /^DROP INDEX "(\w+)";?$/.exec(statement.trim()) ?? [];
      return name !== undefined && all.some((other) => other.includes(`INDEX "${name}" ON `));
    };
    const later = migrations
      .slice(1)
      .flatMap(({ statements }) => statements.filter((statement) => !isWidened(statement, statements)));
    expect(later.filter((statement) => narrows.test(statement))).toEqual([]);
  });

  it('define no functions and triggers, which belong to db/sql', () => {
    const defines = /\bCREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|(?:CONSTRAINT )?TRIGGER)\b/i;
    const statements = migrations.flatMap((migration) => migration.statements);
    expect(statements.filter((statement) => defines.test(statement))).toEqual([]);
  });

  it('create the tables of db/schema: drizzle-kit generate finds no change', async () => {
    const digest = await digestOfInputs();
    if ((await readFile(generated, 'utf8').catch(() => '')) === digest) return;
    await expectNoChange();
    await mkdir(dirname(generated), { recursive: true });
    await writeFile(generated, digest);
  }, 300_000);
});

/** The digest of the inputs with which drizzle-kit has last found no change. */
const generated = join(root, '.cache', 'generated-migrations');

async function digestOfInputs(): Promise<string> {
  const hash = createHash('sha256');
  const below = async (path: string): Promise<string[]> => {
    const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const packages = ['drizzle-kit', 'drizzle-orm'].map((name) => `node_modules/${name}/package.json`);
  const single = ['db/drizzle.config.ts', ...packages].map((path) => join(root, path));
  for (const path of [...(await below('db/schema')), ...(await below('db/migrations')), ...single].toSorted())
    hash.update(`${relative(root, path)}\n`).update(await readFile(path));
  return hash.digest('hex');
}

async function expectNoChange(): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'aggregator-generate-'));
  try {
    await cp(folder, join(copy, 'migrations'), { recursive: true });
    const config = join(copy, 'drizzle.config.ts');
    const original = join(root, 'db', 'drizzle.config.ts');
    // drizzle-kit prefixes the folder with `./`.
    const out = relative(root, join(copy, 'migrations'));
    await writeFile(
      config,
      `import config from '${original}';\nexport default { ...config, out: '${out}' };\n`,
    );
    const program = join(root, 'node_modules', '.bin', 'drizzle-kit');
    const { stdout } = await run(program, ['generate', '--config', config], { cwd: root });
    expect(stdout).toContain('No schema changes');
    expect(await readdir(join(copy, 'migrations'))).toEqual(await readdir(folder));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

describe('the files of db/sql', () => {
  it('are at most 15', () => {
    expect(sqlFiles.length).toBeGreaterThan(0);
    expect(sqlFiles.length).toBeLessThanOrEqual(15);
  });

  it('have their stamp: run npm run db:generate after a change', () => {
    expect(digestOf(sqlFiles)).toBe(readStamp().digest);
  });

  it.each(sqlFiles)('$name can be applied again', ({ text }) => {
    expect(text).not.toMatch(/\bcreate function\b/i);
    const statements = text.replaceAll(/\$\$.*?\$\$/gs, '').split(';');
    for (const insert of statements.filter((statement) => /\binsert into\b/i.test(statement)))
      expect(insert).toContain('on conflict');
    for (const { name, table } of definedBy(text).triggers)
      expect(text).toContain(`drop trigger if exists ${name} on ${table};\ncreate `);
  });

  it.each(sqlFiles)('$name lets no role execute its functions by default', ({ text }) => {
    const revoked = /revoke execute on function ([^;]*) from public;/.exec(text)?.[1] ?? '';
    for (const name of definedBy(text).functions) expect(revoked).toMatch(new RegExp(`\\b${name}\\(`));
  });
});
