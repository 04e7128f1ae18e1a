import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { countText, sizeText } from '../../../../../shared/web/text/numbers.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../../texts.ts';
import { download, pauseDownload, useDownload } from './downloads.ts';
import classes from './exports.module.css';
import { type Export, isUnderWay } from './use-exports.ts';

const tones: Readonly<Record<Export['state'], MarkTone>> = {
  pending: 'none',
  running: 'none',
  ready: 'good',
  failed: 'bad',
};

/** How far a file is, and why it could not be built. */
export const ExportState = ({ file }: { file: Export }): JSX.Element => (
  <div class={classes.state}>
    <Mark tone={tones[file.state]}>{say(`export_state_${file.state}`)}</Mark>
    {isUnderWay(file) && (
      <>
        <Progress label={say('export_built')} percent={file.progress * 100} />
        {file.rows !== undefined && (
          <span class={classes.quiet}>{say('export_rows', { count: file.rows })}</span>
        )}
      </>
    )}
    {file.reason !== undefined && <span class={classes.quiet}>{say(`export_reason_${file.reason}`)}</span>}
  </div>
);

export const sizeOf = ({ rows, bytes }: Export): string =>
  [rows !== undefined && say('export_rows', { count: rows }), bytes !== undefined && sizeText(bytes)]
    .filter(Boolean)
    .join(', ');

/** Downloads a finished file, shows how much has arrived, and continues after an interruption. */
export function DownloadState({ file }: { file: Export }): JSX.Element | null {
  const current = useDownload(file.export_id);
  if (file.state !== 'ready') return null;
  const start = () => void download(file);
  const { bytes: total = 0 } = file;
  if (current?.state === 'running' || current?.state === 'interrupted')
    return (
      <div class={classes.download}>
        <Progress label={say('export_received')} percent={total > 0 ? (100 * current.bytes) / total : 0} />
        <span class={classes.quiet} role="status">
          {say(`export_download_${current.state}`, {
            received: sizeText(current.bytes),
            total: sizeText(total),
          })}
        </span>
        {current.problem && <ProblemNotice problem={current.problem} />}
        {current.state === 'running' ? (
          <Button look="plain" onClick={() => pauseDownload(file.export_id)}>
            {say('export_pause')}
          </Button>
        ) : (
          <Button look="plain" icon="save" onClick={start}>
            {say('export_continue')}
          </Button>
        )}
      </div>
    );
  return (
    <div class={classes.download}>
      {current && (
        <span class={current.state === 'damaged' ? classes.bad : classes.quiet} role="status">
          {say(`export_download_${current.state}`, { size: countText(total) })}
        </span>
      )}
      <Button look="plain" icon="save" onClick={start}>
        {say(current ? 'export_again' : 'export_download')}
      </Button>
    </div>
  );
}
