import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { textsOf } from '../../../../../shared/web/problems/problem-texts.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { allowed, type Kind, titleOf } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type RecordState, type Target, write, writeOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import {
  nextStates,
  type Outcome,
  type RecordedState,
  stateAction,
  stateOf,
  stateWrite,
  useStates,
} from './states.ts';

type RecordActionsProps = { target: Target; state: RecordState };

/** Acknowledges, closes or opens a record. */
export function StateActions({ target: { kind, id }, state }: RecordActionsProps): JSX.Element | null {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  if (!allowed(kind.update)) return null;
  const set = (next: RecordedState) =>
    run(async () => {
      await write(stateWrite(kind, id, next, state.etag));
      toast(say(`monitoring_is_${next}`));
      await forgetKind(client, kind.type);
    });
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      {nextStates[stateOf(state.row)].map((next) => (
        <Button key={next} look="plain" busy={isBusy} onClick={() => set(next)}>
          {say(stateAction(next))}
        </Button>
      ))}
    </>
  );
}

type SelectionActionsProps = { kind: Kind; selection: Selected };

/** Acknowledges, closes or opens all selected records. */
export function SelectedStates({ kind, selection }: SelectionActionsProps): JSX.Element | null {
  const [state, setState] = useState<RecordedState>();
  if (!allowed(kind.update)) return null;
  return (
    <>
      {(['acknowledged', 'closed', 'open'] as const).map((one) => (
        <Button key={one} look="plain" onClick={() => setState(one)}>
          {say(stateAction(one))}
        </Button>
      ))}
      {state && (
        <StatesDialog kind={kind} selection={selection} state={state} onClose={() => setState(undefined)} />
      )}
    </>
  );
}

type StatesDialogProps = SelectionActionsProps & { state: RecordedState; onClose: () => void };

/** Names the records before they are changed. What was refused stays selected. */
function StatesDialog(props: StatesDialogProps): JSX.Element {
  const { kind, selection, state, onClose } = props;
  const { keys } = selection;
  const { outcome, isBusy, hasEnded, attempt, set } = useSetting(props);
  const title = say('monitoring_many_title', { action: say(stateAction(state)), count: keys.length });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <CopyCommand
            command={() => keys.map((id) => curlOf(writeOf(stateWrite(kind, id, state)))).join('\n')}
          />
          {kind.update?.canTry && !hasEnded && (
            <Button look="plain" busy={isBusy} onClick={attempt}>
              {say('try_first')}
            </Button>
          )}
          <Button look="plain" onClick={onClose}>
            {say(hasEnded ? 'close' : 'cancel')}
          </Button>
          {!hasEnded && (
            <Button busy={isBusy} onClick={set}>
              {title}
            </Button>
          )}
        </>
      }
    >
      {outcome ? <Course outcome={outcome} /> : <Names kind={kind} selection={selection} />}
      <Refused kind={kind} selection={selection} failed={outcome?.failed ?? []} />
    </Dialog>
  );
}

function useSetting({ kind, selection, state, onClose }: StatesDialogProps) {
  const { outcome, run } = useStates(kind);
  const isBusy = outcome !== undefined && outcome.done < outcome.all;
  const set = async (): Promise<void> => {
    const { failed, all } = await run(selection.keys, state);
    if (failed.length > 0) return;
    toast(say(`monitoring_many_${state}`, { count: all }));
    selection.clear();
    onClose();
  };
  return {
    ...{ outcome, isBusy, set },
    attempt: () => void run(selection.keys, state, true),
    hasEnded: outcome !== undefined && !outcome.isTrial && !isBusy,
  };
}

/** Records that the dialog names. */
const mostNamed = 10;

function Names({ kind, selection: { keys, rowOf } }: SelectionActionsProps): JSX.Element {
  const more = keys.length - mostNamed;
  return (
    <ul>
      {keys.slice(0, mostNamed).map((id) => (
        <li key={id}>{titleOf(kind, rowOf(id) ?? {})}</li>
      ))}
      {more > 0 && <li>{say('and_more', { more })}</li>}
    </ul>
  );
}

const Course = ({ outcome: { done, all, changed, isTrial } }: { outcome: Outcome }): JSX.Element => (
  <>
    <Progress label={say('monitoring_progress')} percent={(100 * done) / all} />
    <p role="status">
      {isTrial && done === all
        ? say('monitoring_trial', { changed, all })
        : say('monitoring_done', { done, all })}
    </p>
  </>
);

type RefusedProps = SelectionActionsProps & { failed: Outcome['failed'] };

const Refused = ({ kind, selection, failed }: RefusedProps): JSX.Element | null =>
  failed.length === 0 ? null : (
    <ul>
      {failed.map(({ id, problem }) => (
        <li key={id}>
          <b>{titleOf(kind, selection.rowOf(id) ?? {})}</b>: {textsOf(problem).title}
        </li>
      ))}
    </ul>
  );
