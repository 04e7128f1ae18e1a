import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrative database of the shared server; empty when the tests run on embedded databases. */
    postgresUrl: string;
    /** The data folder of a migrated embedded database; null with PostgreSQL. */
    embeddedTemplate: string | null;
  }
}

/** Starts the database for all test files. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.projects.every(({ name }) => name === 'structure')) return;
  // Loaded here, because loading the drivers takes longer than the structure rules, which need no database.
  const { setUpDatabase } = await import('./database/common-database.ts');
  return setUpDatabase(project);
}
