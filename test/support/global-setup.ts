import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { prepareSchema } from '../../shared/tooling/start/prepared-database.ts';
import { type Postgres, startPostgres } from './database/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrative database of the shared server; empty when the tests run on embedded databases. */
    postgresUrl: string;
    /** The data folder of a migrated embedded database; null with PostgreSQL. */
    embeddedTemplate: string | null;
  }
}

type Prepared = { postgresUrl: string; embeddedTemplate: string | null; stop(): Promise<void> };
type Shared = { prepared: Promise<Prepared>; users: number };

/** One server of each kind for all projects of a run, which load this module separately. */
const ofRun = globalThis as { testDatabases?: Map<boolean, Shared> };

/** Starts the database for a project with files to run. `TEST_DATABASE=embedded` is a setting of a project or of the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isEmbedded = (project.config.env.TEST_DATABASE ?? process.env.TEST_DATABASE) === 'embedded';
  ofRun.testDatabases ??= new Map();
  const databases = ofRun.testDatabases;
  const shared = databases.get(isEmbedded) ?? { prepared: prepare(isEmbedded), users: 0 };
  databases.set(isEmbedded, shared);
  shared.users += 1;
  const { postgresUrl, embeddedTemplate, stop } = await shared.prepared;
  project.provide('postgresUrl', postgresUrl);
  project.provide('embeddedTemplate', embeddedTemplate);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    databases.delete(isEmbedded);
    await stop();
  };
}

async function prepare(isEmbedded: boolean): Promise<Prepared> {
  const postgres = await startPostgres({ hasTemplate: true, isEmbedded });
  process.stdout.write(`database: ${postgres.kind} ${postgres.version}\n`);
  if (postgres.kind === 'pglite') return prepareEmbedded(postgres);
  return { postgresUrl: postgres.url, embeddedTemplate: null, stop: () => postgres.stop() };
}

/** One embedded database serves one owner, so every test file opens a copy of this folder. */
async function prepareEmbedded({ folder, stop, address }: Postgres): Promise<Prepared> {
  await prepareSchema(address).finally(() => stop({ keep: true }));
  return {
    postgresUrl: '',
    embeddedTemplate: folder,
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
