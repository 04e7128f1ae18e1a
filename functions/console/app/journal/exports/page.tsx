import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { momentText, untilText } from '../../../../../shared/web/text/moments.ts';
import { useNow } from '../../../../../shared/web/text/use-now.ts';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import type { Column } from '../../../../../shared/web/ui/table/columns.ts';
import { Table } from '../../../../../shared/web/ui/table/table.tsx';
import { may } from '../../facts.ts';
import { type Kind, kindOf, useKinds } from '../../records/kinds.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { DownloadState, ExportState, sizeOf } from './export-state.tsx';
import { exportables } from './exportable.ts';
import classes from './exports.module.css';
import { FilterList } from './filter-list.tsx';
import { type Export, useExports } from './use-exports.ts';

/** The files that the user has ordered and that are still kept. */
export function ExportsPage(): JSX.Element {
  const kinds = useKinds();
  const { data, error } = useExports();
  const now = useNow(60_000);
  return (
    <div class={classes.page}>
      <h1>{say('exports')}</h1>
      <p class={classes.quiet}>{say('exports_text')}</p>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {data?.length === 0 && <NoExports kinds={kinds ?? []} />}
      {data?.length !== 0 && (error === null || data) && (
        <Table
          caption={say('exports')}
          columns={columnsOf(kinds, now)}
          rows={data}
          rowKey={({ export_id }) => export_id}
          empty={say('exports_none')}
        />
      )}
    </div>
  );
}

/** Lists of which the user may order files. */
const NoExports = ({ kinds }: { kinds: readonly Kind[] }): JSX.Element => (
  <Empty icon="save" title={say('exports_none')}>
    <p>{say('exports_none_text')}</p>
    <p class={classes.lists}>
      {kinds
        .filter(({ type }) => exportables[type] && may([exportables[type].permission]))
        .map(({ type, many }) => (
          <LinkButton key={type} look="plain" href={addressOf([type])}>
            {many}
          </LinkButton>
        ))}
    </p>
  </Empty>
);

const Times = ({ file: { ordered_at, expires_at }, now }: { file: Export; now: number }): JSX.Element => (
  <>
    <time dateTime={ordered_at}>{momentText(ordered_at)}</time>
    <p class={classes.quiet}>{say('export_expires', { time: untilText(expires_at, now) })}</p>
  </>
);

const columnsOf = (kinds: readonly Kind[] | undefined, now: number): Column<Export>[] => [
  {
    key: 'what',
    header: say('export_what'),
    cell: ({ object_type, format }) => (
      <>
        {kindOf(kinds, object_type)?.many ?? object_type}
        <p class={classes.quiet}>{say(`export_format_${format}`)}</p>
      </>
    ),
    sort: ({ object_type }) => kindOf(kinds, object_type)?.many ?? object_type,
  },
  {
    key: 'filters',
    header: say('export_filters'),
    cell: ({ object_type, filters }) => <FilterList kind={kindOf(kinds, object_type)} filters={filters} />,
  },
  {
    key: 'ordered',
    header: say('export_ordered'),
    cell: (file) => <Times file={file} now={now} />,
    sort: ({ ordered_at }) => ordered_at,
  },
  {
    key: 'state',
    header: say('export_state'),
    cell: (file) => (
      <>
        <ExportState file={file} />
        {file.state === 'ready' && <p class={classes.quiet}>{sizeOf(file)}</p>}
      </>
    ),
    sort: ({ bytes }) => bytes ?? null,
  },
  { key: 'file', header: say('export_file'), cell: (file) => <DownloadState file={file} /> },
];
