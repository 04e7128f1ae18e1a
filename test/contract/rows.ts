import { readFileSync } from 'node:fs';
import type { Access } from '../../shared/access/guard.ts';
import { isPermission } from '../../shared/context/permissions.ts';

/** An endpoint of the specification, or an added one. */
export type Row = { module: string; method: string; path: string; access: string };

const read = (name: string): Row[] => {
  const [head = '', ...lines] = readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
    return { module: cell('module'), method: cell('method'), path: cell('path'), access: cell('access') };
  });
};

export const specified = read('endpoints.tsv');
export const added = read('endpoints-extra.tsv');
export const rows: readonly Row[] = [...specified, ...added];

/** The same for two spellings of one path: parameter names and a trailing slash are ignored. */
export const addressOf = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replace(/\{\w+\}/g, '{}').replace(/(.)\/$/, '$1')}`;

/** Every permission that a row names. */
export const permissionsIn = ({ access }: Row): string[] =>
  (access.match(/\b[a-z_]+\.[a-z_]+\b/g) ?? []).filter((word) => !word.startsWith('own.'));

/**
 * The access that an operation must declare for a row. Operations with a credential of their own (a signature, a
 * ticket) need no session.
 */
export function accessFor({ access }: Row): Access {
  if (access === 'public' || access.startsWith('own ')) return 'public';
  if (
    access === 'signed-in' ||
    /(browser|administrator) session$/.test(access) ||
    access.startsWith('signed-in (')
  )
    return 'signed-in';
  const [permission = ''] = access.split(' ');
  if (!isPermission(permission)) throw new Error(`"${access}" says nothing that is known`);
  return permission;
}
