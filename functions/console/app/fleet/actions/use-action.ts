import { useState } from 'preact/hooks';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import type { Values } from '../../records/form/form-values.ts';
import type { Kind } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import type { FleetAction, Target } from './fleet-actions.ts';
import { isComplete, startValues } from './inputs.tsx';
import { jobsOf, type Order, ordersOf } from './requests.ts';
import type { Outcomes } from './run-jobs.ts';
import { sentFor, usePreview } from './use-preview.ts';
import { useRun } from './use-run.ts';

export type ActionDialogProps = {
  kind: Kind;
  action: FleetAction;
  targets: readonly Target[];
  onClose: () => void;
  /** The action was performed, completely or in part. */
  onDone: () => void;
};

export type Asked = ReturnType<typeof useAction>;

/** The entries for an action, its preview, and its progress. */
export function useAction({ kind, action, targets, onDone }: ActionDialogProps) {
  const [values, setValues] = useState<Values>(() => startValues(action, targets));
  const [isForced, setForced] = useState(false);
  const [started, setStarted] = useState<readonly Target[]>([]);
  const run = useRun(kind);
  const preview = usePreview(kind, action, targets, run.state === 'waiting');
  const sent = sentFor(preview.data ?? [], isForced);
  const forced = forcedIn(preview.data, isForced);
  const ordersFor = (some: readonly Target[]): Order[] => ordersOf(kind, some, { action, values, forced });
  const send = async (some: readonly Target[], all: readonly Target[]) => {
    const outcomes = await run.start(jobsOf(kind, ordersFor(some)));
    if (!isCompleteRun(all, outcomes)) return;
    toast(say('fleet_done', { action: say(`fleet_do_${action.name}`), count: all.length }));
    onDone();
  };
  const isReady = sent.length > 0 && isComplete(action, values);
  return {
    ...{ values, setValues, isForced, setForced, preview, sent, started, run, isReady },
    orders: isReady ? ordersFor(sent) : [],
    perform: () => {
      setStarted(sent);
      return send(sent, sent);
    },
    /** Those that failed, and those that were not reached. */
    retry: () =>
      send(
        started.filter(({ key }) => !isDone(run.outcomes, key)),
        started,
      ),
  };
}

const forcedIn = (judged: ReturnType<typeof usePreview>['data'], isForced: boolean): Set<string> =>
  new Set(
    (judged ?? [])
      .filter(({ verdict }) => isForced && verdict === 'needs_force')
      .map(({ target }) => target.key),
  );

const isDone = (outcomes: Outcomes, key: string): boolean => {
  const outcome = outcomes.get(key);
  return outcome !== undefined && outcome.problem === undefined;
};

/** Nothing is left to read in the dialog. */
const isCompleteRun = (targets: readonly Target[], outcomes: Outcomes): boolean =>
  targets.every(({ key }) => isDone(outcomes, key) && outcomes.get(key)?.note === undefined);
