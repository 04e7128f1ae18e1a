import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { addressIn } from '../../../shared/tooling/start/created-database.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { findBinaries, startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { assertMayBeAbsent } from '../services.ts';
import { preparedData } from './template.ts';

/** `url` is the URL of the administrative database. `stop` removes `folder`, the data, unless `keep` is set. */
export type Postgres = {
  url: string;
  /** The same database for each role of the portal; only of the embedded database. */
  address: DatabaseAddress;
  version: string;
  kind: 'postgresql' | 'pglite';
  folder: string;
  stop(options?: { keep: boolean }): Promise<void>;
};

type Options = {
  /** PostgreSQL has the migrated template. */
  hasTemplate?: boolean;
  /** The embedded database is used even if PostgreSQL is installed. */
  isEmbedded?: boolean;
};

/**
 * Starts a throwaway PostgreSQL, or the embedded database where it is not installed.
 * @throws Error when PostgreSQL is absent and REQUIRE_SERVICES=1
 */
export async function startPostgres({
  hasTemplate = false,
  isEmbedded = process.env.TEST_DATABASE === 'embedded',
}: Options = {}): Promise<Postgres> {
  const binaries = isEmbedded ? undefined : findBinaries();
  if (!binaries) {
    if (!isEmbedded) assertMayBeAbsent('postgresql');
    return startEmbedded();
  }
  const data = hasTemplate ? await preparedData(binaries) : undefined;
  const server = await startThrowawayPostgres(binaries, { ...(data !== undefined && { data }) });
  return {
    ...server,
    address: addressIn(server.url, 'postgres'),
    version: await versionOf(server.url),
    kind: 'postgresql',
  };
}

async function startEmbedded(): Promise<Postgres> {
  const { startEmbeddedDatabase } = await import('../../../shared/tooling/embedded/database.ts');
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-pglite-'));
  const embedded = await startEmbeddedDatabase({ folder });
  const { superuserUrl: url, stop } = embedded;
  const remove = () => rm(folder, { recursive: true, force: true });
  return {
    url,
    address: embedded,
    version: await versionOf(url),
    kind: 'pglite',
    folder,
    stop: (options) => stop().finally(() => options?.keep || remove()),
  };
}

async function versionOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('show server_version');
    return String(rows[0]?.server_version);
  } finally {
    await client.end();
  }
}
