import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { durationText } from '../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { Column } from '../../../../../shared/web/ui/table/columns.ts';
import { Table } from '../../../../../shared/web/ui/table/table.tsx';
import { say } from '../../texts.ts';
import type { Site } from '../dashboard.ts';
import type { FleetRow } from '../fleet.ts';
import { causeText, stateText, tones, troublesOf } from '../words.ts';
import classes from './sites.module.css';

/** Rows of a long table that are shown at first; those that need attention are among them. */
const firstRows = 25;

type NodeTableProps = { site: Site; rows: readonly FleetRow[]; now: number };

/** The farms and nodes of a site. */
export function NodeTable({ site, rows, now }: NodeTableProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const columns = useMemo(() => columnsAt(now), [now]);
  const shown = useMemo(() => (isWhole ? rows : rows.slice(0, firstRows)), [rows, isWhole]);
  return (
    <>
      <Table
        caption={say('nodes_of', { name: site.name })}
        columns={columns}
        rows={shown}
        rowKey={({ key }) => key}
        empty={say('no_farms')}
      />
      {shown.length < rows.length && (
        <Button look="plain" onClick={() => setWhole(true)}>
          {say('show_all', { count: rows.length })}
        </Button>
      )}
    </>
  );
}

const columnsAt = (now: number): Column<FleetRow>[] => [
  {
    key: 'node',
    header: say('node'),
    cell: ({ node }) => node?.name ?? <span class={classes.quiet}>{say('no_nodes')}</span>,
    sort: ({ node }) => node?.name ?? null,
  },
  {
    key: 'state',
    header: say('state'),
    cell: (row) => <NodeState {...row} />,
    sort: ({ farm, node }) => stateText((node ?? farm).state),
  },
  {
    key: 'farm',
    header: say('farm'),
    cell: (row) => <FarmCell {...row} now={now} />,
    sort: ({ farm }) => farm.name,
  },
  {
    key: 'response',
    header: say('response'),
    align: 'end',
    priority: 'low',
    cell: ({ node }) =>
      node?.response_time_ms == null ? '–' : say('milliseconds', { n: countText(node.response_time_ms) }),
    sort: ({ node }) => node?.response_time_ms ?? null,
  },
  {
    key: 'certificate',
    header: say('certificate'),
    align: 'end',
    priority: 'low',
    cell: ({ node }) => (node?.certificate_days_left == null ? '–' : daysText(node.certificate_days_left)),
    sort: ({ node }) => node?.certificate_days_left ?? null,
  },
];

/** How long a certificate is still valid. */
export const daysText = (days: number): string => (days < 0 ? say('expired') : say('days', { count: days }));

const NodeState = ({ farm, node }: FleetRow): JSX.Element => {
  const { state } = node ?? farm;
  return (
    <>
      <Mark tone={tones[state]}>{stateText(state)}</Mark>
      {(node ? troublesOf(node) : []).map((trouble) => (
        <div key={trouble} class={classes.trouble}>
          {trouble}
        </div>
      ))}
    </>
  );
};

/** The farm, with what is wrong with its data. Data is read about once a minute. */
const FarmCell = ({ farm, now }: FleetRow & { now: number }): JSX.Element => {
  const ageMs = farm.fetched_at === null ? 0 : now - Date.parse(farm.fetched_at);
  const isOld = ageMs > oldMs && farm.state !== 'disabled';
  return (
    <>
      {farm.name}
      {isOld && <div class={classes.trouble}>{say('data_age', { age: durationText(ageMs) })}</div>}
      {farm.last_sync_error !== null && <div class={classes.trouble}>{causeText(farm.last_sync_error)}</div>}
    </>
  );
};

const oldMs = 5 * 60_000;
