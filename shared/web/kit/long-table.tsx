import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import type { DataColumn } from '../ui/table/data-columns.ts';
import { DataTable } from '../ui/table/data-table.tsx';
import { Section } from './section.tsx';

/** More rows than a browser can draw below each other. */
const many = 1_000_000;
/** Rows that a page adds. */
const further = 100;

const nothing = (): void => undefined;

export function LongTable(): JSX.Element {
  const [count, setCount] = useState(many);
  const columns = useMemo<DataColumn<number>[]>(
    () => [{ key: 'number', header: frameText('code'), cell: (row) => String(row) }],
    [],
  );
  return (
    <Section name="DataTable">
      <Button look="plain" onClick={() => setCount(count + further)}>
        {`+ ${further}`}
      </Button>
      <DataTable
        caption={frameText('support')}
        columns={columns}
        count={count}
        total={count}
        rowAt={(index) => index + 1}
        onRange={nothing}
        order={undefined}
        onSort={nothing}
      />
    </Section>
  );
}
