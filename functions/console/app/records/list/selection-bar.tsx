import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import { allowed, type Kind, type Parents, type Row, titleOf } from '../kinds.ts';
import { CopyCommand } from '../record/copy-command.tsx';
import { curlOf, tryWrite, type Write, write, writeOf } from '../requests.ts';
import classes from './list.module.css';
import type { Selected } from './use-selection.ts';

type SelectionBarProps = { kind: Kind; parents: Parents; selection: Selected };

/** The number of selected records and what can be done with them. */
export function SelectionBar({ kind, parents, selection }: SelectionBarProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const remove = allowed(kind.bulkDestroy);
  const Actions = useExtension(kind)?.SelectionActions;
  return (
    <div class={classes.selection}>
      <b role="status">{say('selected', { count: selection.keys.length })}</b>
      {Actions && <Actions kind={kind} parents={parents} selection={selection} />}
      {remove && (
        <Button look="danger" onClick={() => setAsking(true)}>
          {remove.label}
        </Button>
      )}
      <Button look="quiet" onClick={selection.clear}>
        {say('clear_selection')}
      </Button>
      {isAsking && (
        <DeleteSelected
          kind={kind}
          parents={parents}
          selection={selection}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** Answer of a bulk deletion: what was refused stays. */
type Outcome = { deleted: string[]; failed: { id: string; code: string; detail: string }[] };

type DeleteSelectedProps = SelectionBarProps & { onClose: () => void };

function DeleteSelected(props: DeleteSelectedProps): JSX.Element {
  const { kind, selection, onClose } = props;
  const { what, problem, isBusy, trial, outcome, attempt, remove } = useDeletion(props);
  const names = selection.keys.map((key) => titleOf(kind, selection.rowOf(key) ?? {}));
  return (
    <Dialog
      title={say('delete_many_title', { count: selection.keys.length })}
      onClose={onClose}
      actions={
        <Buttons
          what={outcome ? undefined : what}
          isBusy={isBusy}
          onClose={onClose}
          onTry={attempt}
          onDelete={remove}
        />
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      {!outcome && <p>{names.join(', ')}</p>}
      {trial && !outcome && <p role="status">{say('delete_many_trial', countsOf(trial))}</p>}
      {outcome && <p>{say('deleted_some', countsOf(outcome))}</p>}
      <Failed outcome={outcome ?? trial} kind={kind} rowOf={selection.rowOf} />
    </Dialog>
  );
}

function useDeletion({ kind, parents, selection, onClose }: DeleteSelectedProps) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [outcome, setOutcome] = useState<Outcome>();
  const [trial, setTrial] = useState<Outcome>();
  const { bulkDestroy: verb } = kind;
  const what = verb && { verb, path: parents, body: { ids: selection.keys } };
  const finish = ({ deleted }: Outcome) => {
    toast(say('deleted_many', { count: deleted.length }));
    selection.clear();
    onClose();
  };
  const remove = () =>
    run(async () => {
      if (!what) return;
      const done = (await write(what)).body as Outcome;
      await client.invalidateQueries({ queryKey: ['list', kind.type] });
      if (done.failed.length > 0) setOutcome(done);
      else finish(done);
    });
  const attempt = () =>
    run(async () => {
      if (what) setTrial((await tryWrite(what)).body as Outcome);
    });
  return { what, problem, isBusy, trial, outcome, attempt, remove };
}

const countsOf = ({ deleted, failed }: Outcome) => ({ count: deleted.length, failed: failed.length });

type ButtonsProps = {
  /** Absent when it is done. */
  what: Write | undefined;
  isBusy: boolean;
  onClose: () => void;
  onTry: () => void;
  onDelete: () => void;
};

const Buttons = ({ what, isBusy, onClose, onTry, onDelete }: ButtonsProps): JSX.Element => (
  <>
    {what && <CopyCommand command={() => curlOf(writeOf(what))} />}
    {what?.verb.canTry && (
      <Button look="plain" busy={isBusy} onClick={onTry}>
        {say('try_first')}
      </Button>
    )}
    <Button look="plain" onClick={onClose}>
      {what ? say('cancel') : say('close')}
    </Button>
    {what && (
      <Button look="danger" busy={isBusy} onClick={onDelete}>
        {say('delete')}
      </Button>
    )}
  </>
);

type FailedProps = { outcome: Outcome | undefined; kind: Kind; rowOf: (key: string) => Row | undefined };

/** What is or would be refused, and why. */
const Failed = ({ outcome, kind, rowOf }: FailedProps): JSX.Element | null =>
  outcome && outcome.failed.length > 0 ? (
    <ul>
      {outcome.failed.map(({ id, detail }) => (
        <li key={id}>
          <b>{titleOf(kind, rowOf(id) ?? {})}</b>: {detail}
        </li>
      ))}
    </ul>
  ) : null;
