import { splitStatements } from './statements.ts';

/** An index of an existing table. `isReplaced`: at the end it takes the place of the index of the same name. */
export type IndexStep = { name: string; text: string; isReplaced: boolean };

/** What is applied at once: statements in one transaction, or an index that is built while its table is written. */
export type MigrationStep = { statements: string[] } | { index: IndexStep };

const createsTable = /^create table "(\w+)"/i;
const createsIndex = /^create (?:unique )?index "(\w+)" on /i;
const dropsIndex = /^drop index "(\w+)"$/i;
const namesTable = /\b(?:alter table|on|references|update|into|from) (?:"public"\.)?"(\w+)"/gi;

/**
 * The steps of a generated migration. Consecutive statements that name only tables which the migration itself creates are
 * one step. Each other statement is a step, so that no transaction locks two existing tables.
 */
export function stepsOfMigration(texts: readonly string[]): MigrationStep[] {
  const statements = texts.flatMap(splitStatements);
  const added = new Set(statements.flatMap((text) => createsTable.exec(text)?.[1] ?? []));
  const named = (text: string): string[] =>
    [...text.matchAll(namesTable)].flatMap(([, table]) => table ?? []);
  const isOfAdded = (text: string): boolean =>
    createsTable.test(text) || (named(text).length > 0 && named(text).every((table) => added.has(table)));
  const dropped = new Set(statements.flatMap((text) => dropsIndex.exec(text)?.[1] ?? []));
  const created = new Set(statements.flatMap((text) => createsIndex.exec(text)?.[1] ?? []));
  const steps: MigrationStep[] = [];
  let ofAdded: string[] = [];
  for (const text of statements) {
    if (isOfAdded(text)) {
      if (ofAdded.push(text) === 1) steps.push({ statements: ofAdded });
      continue;
    }
    ofAdded = [];
    if (created.has(dropsIndex.exec(text)?.[1] ?? '')) continue;
    const [isIndex, name = ''] = createsIndex.exec(text) ?? [];
    steps.push(isIndex ? { index: { name, text, isReplaced: dropped.has(name) } } : { statements: [text] });
  }
  return steps;
}
