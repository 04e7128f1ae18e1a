import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import type { DataColumn } from '../ui/table/data-columns.ts';
import { DataTable } from '../ui/table/data-table.tsx';
import { Section } from './section.tsx';

/** More rows than a browser can draw below each other. */
const count = 1_000_000;

const nothing = (): void => undefined;

export function LongTable(): JSX.Element {
  const columns = useMemo<DataColumn<number>[]>(
    () => [{ key: 'number', header: frameText('code'), cell: (row) => String(row) }],
    [],
  );
  return (
    <Section name="DataTable">
      <DataTable
        caption={frameText('support')}
        columns={columns}
        count={count}
        total={count}
        rowAt={(index) => index + 1}
        rowKey={String}
        onRange={nothing}
        order={undefined}
        onSort={nothing}
      />
    </Section>
  );
}
