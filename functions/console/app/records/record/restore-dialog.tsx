import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';
import {
  curlOf,
  pathValues,
  type RecordState,
  type Target,
  tryWrite,
  type Write,
  write,
  writeOf,
} from '../requests.ts';
import { CopyCommand } from './copy-command.tsx';
import { EffectOf } from './effect.tsx';
import { forgetKind } from './use-record.ts';
import type { Version } from './version.ts';

type RestoreDialogProps = { target: Target; state: RecordState; version: Version; onClose: () => void };

/** Shows what a restoration would change before it is made. */
export function RestoreDialog({ target, state, version, onClose }: RestoreDialogProps): JSX.Element {
  const { kind, id } = target;
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const what = restorationOf(target, state, version);
  const trial = useQuery({
    queryKey: ['history', kind.type, id, version.version, state.etag],
    queryFn: () => tryWrite(what),
    staleTime: 0,
  });
  const restore = () =>
    run(async () => {
      await write(what);
      toast(say('restored'));
      onClose();
      await forgetKind(client, kind.type);
    });
  return (
    <Dialog
      title={say('restore_title', { time: momentText(version.at) })}
      onClose={onClose}
      actions={
        <>
          <CopyCommand command={() => curlOf(writeOf(what))} />
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button busy={isBusy} disabled={!trial.data} onClick={restore}>
            {say('restore')}
          </Button>
        </>
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      {trial.error !== null && <ProblemNotice problem={problemOf(trial.error)} />}
      {trial.isPending && <Skeleton height="4rem" />}
      {trial.data && <EffectOf kind={kind} effect={trial.data} />}
    </Dialog>
  );
}

const restorationOf = (
  { kind, parents, id }: Target,
  { etag }: RecordState,
  { version }: Version,
): Write => ({
  verb: kind.history?.restore ?? kind.list,
  path: pathValues(kind, parents, id),
  body: { version },
  etag,
});
