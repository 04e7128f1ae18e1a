import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { addressOf } from '../router/place.ts';
import { say } from '../texts.ts';
import classes from './gallery.module.css';
import type { Upload, Uploads } from './use-uploads.ts';

/** The progress of all files, and each file that was not added with its reason. */
export function UploadList({ uploads }: { uploads: Uploads }): JSX.Element | null {
  const { items, done, total } = uploads;
  const failed = items.filter(({ fault, problem }) => fault !== undefined || problem !== undefined);
  const running = items.find(({ isRunning }) => isRunning);
  if (failed.length === 0 && total === 0) return null;
  return (
    <div class={classes.uploads}>
      {total > 0 && (
        <>
          <Progress label={say('gallery_progress', { done, total })} percent={(100 * done) / total} />
          <p class={classes.hint}>
            {say('gallery_progress', { done, total })} {running?.file.name}
          </p>
        </>
      )}
      {failed.map((upload) => (
        <Failed key={upload.key} upload={upload} uploads={uploads} />
      ))}
    </div>
  );
}

function Failed({ upload, uploads }: { upload: Upload; uploads: Uploads }): JSX.Element {
  const { file, fault, problem, existing } = upload;
  return (
    <Notice
      tone="bad"
      title={say('gallery_failed', { name: file.name })}
      isAlert={true}
      actions={
        <>
          {problem && existing === undefined && (
            <Button look="plain" onClick={() => uploads.retry(upload)}>
              {say('gallery_retry')}
            </Button>
          )}
          <Button look="quiet" icon="close" onClick={() => uploads.dismiss(upload)}>
            {say('gallery_dismiss')}
          </Button>
        </>
      }
    >
      {fault}
      {problem && existing === undefined && <ProblemNotice problem={problem} />}
      {existing !== undefined && <a href={addressOf(['picture', existing])}>{say('gallery_same_picture')}</a>}
    </Notice>
  );
}
