import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { type Problem, problemOf } from '../../../../../shared/web/problems/problem.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { say } from '../../texts.ts';

export type Each = {
  title: string;
  text: string;
  label: string;
  items: readonly { name: string; sending: Sending }[];
  changes: readonly string[];
};

type Failure = { name: string; problem: Problem };
type Outcome = { done: number; failures: readonly Failure[]; isOver: boolean };

type EachDialogProps = Each & { onClose: () => void; onDone: () => void };

/** Asks once, then sends one request for each of several rows. What was refused is named. */
export function EachDialog({ onClose, onDone, ...each }: EachDialogProps): JSX.Element {
  const { title, text, label, items } = each;
  const [outcome, setOutcome] = useState<Outcome>();
  const client = useQueryClient();
  const start = async () => {
    const last = await sendAll(items, setOutcome);
    await client.invalidateQueries({ queryKey: ['access'] });
    await Promise.all(each.changes.map((type) => forgetKind(client, type)));
    if (last.failures.length > 0) return;
    toast(say('access_done_many', { count: last.done }));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {outcome?.isOver ? say('close') : say('cancel')}
          </Button>
          {!outcome?.isOver && (
            <Button look="danger" busy={outcome !== undefined} onClick={start}>
              {label}
            </Button>
          )}
        </>
      }
    >
      {outcome ? <Course outcome={outcome} count={items.length} /> : <p>{text}</p>}
      {!outcome && <p>{items.map(({ name }) => name).join(', ')}</p>}
    </Dialog>
  );
}

async function sendAll(items: Each['items'], onOutcome: (outcome: Outcome) => void): Promise<Outcome> {
  let outcome: Outcome = { done: 0, failures: [], isOver: false };
  onOutcome(outcome);
  for (const { name, sending } of items) {
    try {
      await sendRequest({ ...sending, signal: AbortSignal.timeout(30_000) });
      outcome = { ...outcome, done: outcome.done + 1 };
    } catch (error) {
      outcome = { ...outcome, failures: [...outcome.failures, { name, problem: problemOf(error) }] };
    }
    onOutcome(outcome);
  }
  outcome = { ...outcome, isOver: true };
  onOutcome(outcome);
  return outcome;
}

const Course = ({
  outcome: { done, failures, isOver },
  count,
}: {
  outcome: Outcome;
  count: number;
}): JSX.Element => (
  <>
    {!isOver && (
      <Progress
        label={say('access_progress', { done: done + failures.length, count })}
        percent={(100 * (done + failures.length)) / count}
      />
    )}
    <p role="status">
      {say('access_progress', { done, count })}
      {failures.length > 0 && `. ${say('access_some_failed', { failed: failures.length })}:`}
    </p>
    <ul>
      {failures.map(({ name, problem }) => (
        <li key={name}>
          <b>{name}</b>: {problem.detail || problem.code}
        </li>
      ))}
    </ul>
  </>
);
