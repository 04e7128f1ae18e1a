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
import { write } from '../requests.ts';
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

function DeleteSelected({
  kind,
  parents,
  selection,
  onClose,
}: SelectionBarProps & { onClose: () => void }): JSX.Element {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [outcome, setOutcome] = useState<Outcome>();
  const { bulkDestroy: verb } = kind;
  const names = selection.keys.map((key) => titleOf(kind, selection.rowOf(key) ?? {}));
  const remove = () =>
    run(async () => {
      if (!verb) return;
      const { body } = await write({ verb, path: parents, body: { ids: selection.keys } });
      const done = body as Outcome;
      await client.invalidateQueries({ queryKey: ['list', kind.type] });
      if (done.failed.length > 0) setOutcome(done);
      else finish(done);
    });
  const finish = ({ deleted }: Outcome) => {
    toast(say('deleted_many', { count: deleted.length }));
    selection.clear();
    onClose();
  };
  return (
    <Dialog
      title={say('delete_many_title', { count: selection.keys.length })}
      onClose={onClose}
      actions={
        <Buttons hasEnded={outcome !== undefined} isBusy={isBusy} onClose={onClose} onDelete={remove} />
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      {outcome ? <Failed outcome={outcome} kind={kind} rowOf={selection.rowOf} /> : <p>{names.join(', ')}</p>}
    </Dialog>
  );
}

type ButtonsProps = { hasEnded: boolean; isBusy: boolean; onClose: () => void; onDelete: () => void };

const Buttons = ({ hasEnded, isBusy, onClose, onDelete }: ButtonsProps): JSX.Element => (
  <>
    <Button look="plain" onClick={onClose}>
      {hasEnded ? say('close') : say('cancel')}
    </Button>
    {!hasEnded && (
      <Button look="danger" busy={isBusy} onClick={onDelete}>
        {say('delete')}
      </Button>
    )}
  </>
);

const Failed = ({
  outcome: { deleted, failed },
  kind,
  rowOf,
}: {
  outcome: Outcome;
  kind: Kind;
  rowOf: (key: string) => Row | undefined;
}): JSX.Element => (
  <>
    <p>{say('deleted_some', { count: deleted.length, failed: failed.length })}</p>
    <ul>
      {failed.map(({ id, detail }) => (
        <li key={id}>
          <b>{titleOf(kind, rowOf(id) ?? {})}</b>: {detail}
        </li>
      ))}
    </ul>
  </>
);
