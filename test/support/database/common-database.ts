import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { createDatabase } from '../../../shared/tooling/start/created-database.ts';
import { prepareSchema } from '../../../shared/tooling/start/prepared-database.ts';
import { templateName } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';

/** Starts the database once for all test files and migrates the template that they copy. */
export async function setUpDatabase(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  process.stdout.write(`database: ${postgres.kind} ${postgres.version}\n`);
  if (postgres.kind === 'pglite') return setUpEmbedded(project, postgres);
  try {
    await prepareSchema(await createDatabase(postgres.url, templateName));
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  project.provide('postgresUrl', postgres.url);
  project.provide('embeddedTemplate', null);
  return postgres.stop;
}

/** One embedded database serves one owner, so every test file opens a copy of this folder. */
async function setUpEmbedded(
  project: TestProject,
  { folder, stop, address }: Postgres,
): Promise<() => Promise<void>> {
  await prepareSchema(address).finally(() => stop({ keep: true }));
  project.provide('postgresUrl', '');
  project.provide('embeddedTemplate', folder);
  return () => rm(folder, { recursive: true, force: true });
}
