import { describe, expect, it } from 'vitest';
import { type Column, inOrder, nextOrder } from '../../../shared/web/ui/table/columns.ts';

type Row = { name: string; ms: number | null };
const columns: Column<Row>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, sort: ({ name }) => name },
  { key: 'ms', header: 'Time', cell: ({ ms }) => ms, sort: ({ ms }) => ms },
  { key: 'plain', header: 'Plain', cell: () => '' },
];
const rows: Row[] = [
  { name: 'node-10', ms: 5 },
  { name: 'node-9', ms: null },
  { name: 'node-1', ms: 40 },
];
const sorted = (key: string, direction: 'ascending' | 'descending') =>
  inOrder(rows, columns, { key, direction }).map(({ name }) => name);

describe('the rows of a table', () => {
  it('are sorted by numbers within names', () =>
    expect(sorted('name', 'ascending')).toEqual(['node-1', 'node-9', 'node-10']));

  it('are last without a value, in both directions', () => {
    expect(sorted('ms', 'ascending')).toEqual(['node-10', 'node-1', 'node-9']);
    expect(sorted('ms', 'descending')).toEqual(['node-1', 'node-10', 'node-9']);
  });

  it('keep their order without a sortable column', () => {
    expect(inOrder(rows, columns, undefined)).toBe(rows);
    expect(sorted('plain', 'ascending')).toEqual(rows.map(({ name }) => name));
  });
});

describe('the order of a table', () => {
  it('is ascending, descending, then that of the rows', () => {
    const first = nextOrder(undefined, 'ms');
    expect(first).toEqual({ key: 'ms', direction: 'ascending' });
    const second = nextOrder(first, 'ms');
    expect(second).toEqual({ key: 'ms', direction: 'descending' });
    expect(nextOrder(second, 'ms')).toBeUndefined();
    expect(nextOrder(second, 'name')).toEqual({ key: 'name', direction: 'ascending' });
  });
});
