import { join } from 'node:path';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { isSealedPlace } from '../../db/repositories/records/sealed/values.ts';
import { root } from '../../shared/tooling/programs.mjs';
import { readSources } from './sources.ts';

const product = readSources().filter(({ path }) => !path.startsWith('test/'));

/** Columns whose names suggest secrets, and why they contain no sealed values. */
const notSealed = {
  'audit_events.sealed_text': 'sealed by the chain of hashes, readable by everybody who may read the audit',
  'monitoring_records.message_key': 'a folded copy',
  'passkeys.public_key': 'a public key',
  'users.password_hash': 'a hash',
  'session_agents.user_key': 'a folded name',
  'workplace_sessions.user_key': 'a folded name',
  'workplaces.owner_key': 'a folded name',
  'users.password_changed_at': 'a moment',
  'users.must_change_password': 'a flag',
};
const speaksOfSecrets = /seal|secret|encrypt|password|private|(?<!name)_key$/;

async function columnsOfSchema(): Promise<string[]> {
  const names = product.flatMap(({ path }) => /^db\/schema\/.+\.ts$/.exec(path)?.[0] ?? []);
  const modules: object[] = await Promise.all(names.map((name) => import(join(root, name))));
  const tables = modules.flatMap((one) => Object.values(one)).filter((value) => is(value, PgTable));
  return tables.flatMap((table) =>
    Object.values(getTableColumns(table)).map(({ name }) => `${getTableName(table)}.${name}`),
  );
}

describe('sealed values', () => {
  it('are declared for every place that the code seals for', () => {
    const places = product.flatMap(({ text }) =>
      [...text.matchAll(/table: '(\w+)',[\s\S]{0,200}?\bcolumn: '([\w.]+)'/g)].map(
        ([, table, column]) => `${table}.${column}`,
      ),
    );
    expect(places).toEqual(
      expect.arrayContaining(['dispatchers.health_key', 'dispatcher_sessions.sealed_key']),
    );
    expect(places).toContain('authenticators.params.bind_password');
    expect(places.filter((place) => !isSealedPlace(place))).toEqual([]);
  });

  it('are declared for every column whose name suggests a secret', async () => {
    const columns = await columnsOfSchema();
    expect(columns).toEqual(expect.arrayContaining(Object.keys(notSealed)));
    const secret = columns.filter((column) => speaksOfSecrets.test(column.split('.')[1] ?? ''));
    const unknown = secret.filter((column) => !isSealedPlace(column) && !Object.hasOwn(notSealed, column));
    expect(unknown).toEqual([]);
  });

  it('are created where their place is available, or not stored at all', () => {
    const sealing = product.filter(({ text }) => /\.seal\(/.test(text)).map(({ path }) => path);
    const withoutPlace = sealing.filter(
      (path) => !/table: '\w+'/.test(product.find((source) => source.path === path)?.text ?? ''),
    );
    // Challenges, cursors, positions, attempts to sign in, requests of programs and marks of browsers are held by clients; re-sealing reads its places from
    // the declaration itself.
    expect(withoutPlace.sort()).toEqual([
      'functions/federation/program-request.ts',
      'functions/federation/programs/browser-mark.ts',
      'functions/federation/sign-in/attempt.ts',
      'shared/http/caller/consistency-token.ts',
      'shared/identity/passkeys/challenges.ts',
      'shared/kernel/cursor.ts',
      'shared/tooling/admin/reseal.ts',
    ]);
  });
});
