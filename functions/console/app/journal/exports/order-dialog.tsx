import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { SelectField } from '../../../../../shared/web/ui/controls/field.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import type { Kind } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf, type ListQuery } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { DownloadState, ExportState, sizeOf } from './export-state.tsx';
import { type ExportFormat, exportables } from './exportable.ts';
import classes from './exports.module.css';
import { FilterList } from './filter-list.tsx';
import { exportsKey, useExports } from './use-exports.ts';

type OrderDialogProps = { kind: Kind; query: ListQuery; onClose: () => void };

const limitMs = 30_000;

/** Orders a file with the rows that a list shows, then shows how far it is. */
export function OrderDialog({ kind, query, onClose }: OrderDialogProps): JSX.Element {
  const { formats = [], path = '' } = exportables[kind.type] ?? {};
  const [format, setFormat] = useState<ExportFormat>('csv');
  const { sort: _, ...filters } = query;
  const what: Sending = { method: 'GET', path: `${path}/export`, query: { ...filters, format } };
  const { problem, isBusy, ordered, order } = useOrder(what);
  return (
    <Dialog
      title={say('export_title', { name: kind.many })}
      onClose={onClose}
      actions={
        <>
          {!ordered && <CopyCommand command={() => curlOf(what)} />}
          <Button look="plain" onClick={onClose}>
            {say(ordered ? 'close' : 'cancel')}
          </Button>
          {!ordered && (
            <Button busy={isBusy} onClick={order}>
              {say('export_order')}
            </Button>
          )}
        </>
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      <FilterList kind={kind} filters={filters} />
      {ordered ? (
        <Ordered id={ordered} />
      ) : (
        <SelectField
          label={say('export_format')}
          value={format}
          options={formats.map((name) => [name, say(`export_format_${name}`)])}
          onChange={setFormat}
        />
      )}
    </Dialog>
  );
}

function useOrder(what: Sending) {
  const [ordered, setOrdered] = useState<string>();
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const order = () =>
    run(async () => {
      const { body } = await sendRequest({ ...what, signal: AbortSignal.timeout(limitMs) });
      await client.invalidateQueries({ queryKey: exportsKey });
      setOrdered((body as { export_id: string }).export_id);
    });
  return { problem, isBusy, ordered, order };
}

function Ordered({ id }: { id: string }): JSX.Element {
  const file = useExports().data?.find(({ export_id }) => export_id === id);
  if (!file) return <Skeleton height="3rem" />;
  return (
    <>
      <ExportState file={file} />
      {file.state === 'ready' && <p>{sizeOf(file)}</p>}
      <DownloadState file={file} />
      <p class={classes.quiet}>
        {say('export_in_background')} <a href={addressOf(['exports'])}>{say('exports')}</a>
      </p>
    </>
  );
}
