import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { addressOf, open } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { titleOf } from '../kinds.ts';
import { curlOf, pathValues, type RecordState, type Target, write, writeOf } from '../requests.ts';
import { CopyCommand } from './copy-command.tsx';
import { Referring } from './referring.tsx';
import { forgetKind } from './use-record.ts';

type DeleteDialogProps = { target: Target; state: RecordState; onClose: () => void };

/** Asks before a record is deleted. If other records refer to it, they are named. */
export function DeleteDialog({ target, state, onClose }: DeleteDialogProps): JSX.Element {
  const { kind, parents, id } = target;
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const name = titleOf(kind, state.row);
  const { delete: verb } = kind;
  const what = verb && { verb, path: pathValues(kind, parents, id), etag: state.etag };
  const remove = () =>
    run(async () => {
      if (!what) return;
      await write(what);
      toast(say('deleted', { name }));
      open(addressOf([kind.type], parents));
      await forgetKind(client, kind.type);
    });
  return (
    <Dialog
      title={say('delete_title', { object: kind.object, name })}
      onClose={onClose}
      actions={
        <>
          {what && <CopyCommand command={() => curlOf(writeOf(what))} />}
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="danger" busy={isBusy} onClick={remove}>
            {say('delete')}
          </Button>
        </>
      }
    >
      {problem ? <ProblemNotice problem={problem} /> : <p>{say('delete_text')}</p>}
      {problem?.references && <Referring references={problem.references} />}
    </Dialog>
  );
}
