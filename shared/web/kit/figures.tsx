import type { JSX } from 'preact';
import { frameText } from '../text/texts.ts';
import { Meter, Ring, Sparkline, Tile } from '../ui/figures/figures.tsx';
import { Mark } from '../ui/figures/mark.tsx';
import type { Column } from '../ui/table/columns.ts';
import { Table } from '../ui/table/table.tsx';
import classes from './kit.module.css';
import { Row, Section } from './section.tsx';

const shares = [
  [0, 0],
  [0, 8],
  [3, 8],
  [8, 8],
] as const;
const marks = ['good', 'bad', 'warn', 'off', 'none'] as const;

export const Figures = (): JSX.Element => (
  <Section name="figures">
    <ul class={classes.tiles}>
      {shares.map(([value, max]) => (
        <Tile
          key={`${value} ${max}`}
          label={frameText('code')}
          value={String(value)}
          hint={`${value} / ${max}`}
        >
          <Ring label={`${value} / ${max}`} value={value} max={max} />
        </Tile>
      ))}
      <Tile label={frameText('code')} value="12" isBad={true}>
        <Sparkline label="1, 4, 2, 8" values={[1, 4, 2, 8]} />
      </Tile>
    </ul>
    {shares.map(([value, max]) => (
      <Meter
        key={`${value} ${max}`}
        label={frameText('code')}
        value={value}
        max={max}
        text={`${value} / ${max}`}
        isBad={value === 0 && max > 0}
      />
    ))}
    <Row>
      {marks.map((tone) => (
        <Mark key={tone} tone={tone}>
          {frameText('scheme_dark')}
        </Mark>
      ))}
    </Row>
  </Section>
);

type Sample = { name: string; count: number; note: string };
const samples: readonly Sample[] = [
  { name: 'North', count: 12, note: frameText('ended_title') },
  { name: 'South', count: 4, note: frameText('no_network_text') },
  { name: 'West', count: 108, note: '' },
];
const columns: readonly Column<Sample>[] = [
  { key: 'name', header: frameText('code'), cell: ({ name }) => name, sort: ({ name }) => name },
  {
    key: 'count',
    header: frameText('recovery_code'),
    cell: ({ count }) => String(count),
    sort: ({ count }) => count,
    align: 'end',
  },
  { key: 'note', header: frameText('support'), cell: ({ note }) => note, priority: 'low' },
];

export const Tables = (): JSX.Element => (
  <Section name="Table">
    {[samples, [], undefined].map((rows) => (
      <Table
        key={rows?.length ?? 'loading'}
        caption={frameText('support')}
        isCaptionShown={true}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        empty={frameText('ended_title')}
      />
    ))}
  </Section>
);
