import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { textsOf } from '../../../../../shared/web/problems/problem-texts.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { allowed, type Kind, titleOf } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { forgetKind } from '../../records/record/use-record.ts';
import { type RecordState, type Target, write } from '../../records/requests.ts';
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

/** Acknowledges or closes all selected records. */
export function SelectedStates({ kind, selection }: SelectionActionsProps): JSX.Element | null {
  const { outcome, run, forget } = useStates(kind);
  if (!allowed(kind.update)) return null;
  const set = async (state: RecordedState) => {
    const { failed, all } = await run(selection.keys, state);
    if (failed.length > 0) return;
    toast(say(`monitoring_many_${state}`, { count: all }));
    forget();
    selection.clear();
  };
  return (
    <>
      {(['acknowledged', 'closed', 'open'] as const).map((state) => (
        <Button key={state} look="plain" onClick={() => void set(state)}>
          {say(stateAction(state))}
        </Button>
      ))}
      {outcome && <OutcomeDialog kind={kind} selection={selection} outcome={outcome} onClose={forget} />}
    </>
  );
}

type OutcomeDialogProps = { kind: Kind; selection: Selected; outcome: Outcome; onClose: () => void };

const OutcomeDialog = ({ kind, selection, outcome, onClose }: OutcomeDialogProps): JSX.Element => (
  <Dialog title={say('monitoring_progress')} onClose={onClose}>
    <Progress label={say('monitoring_progress')} percent={(100 * outcome.done) / outcome.all} />
    <p role="status">{say('monitoring_done', { done: outcome.done, all: outcome.all })}</p>
    {outcome.failed.length > 0 && (
      <ul>
        {outcome.failed.map(({ id, problem }) => (
          <li key={id}>
            <b>{titleOf(kind, selection.rowOf(id) ?? {})}</b>: {textsOf(problem).title}
          </li>
        ))}
      </ul>
    )}
  </Dialog>
);
