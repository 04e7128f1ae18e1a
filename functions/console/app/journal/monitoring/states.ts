import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type Problem, problemOf } from '../../../../../shared/web/problems/problem.ts';
import type { Kind, Row } from '../../records/kinds.ts';
import { forgetKind } from '../../records/record/use-record.ts';
import { tryWrite, type Write, write } from '../../records/requests.ts';
import type { ConsoleText } from '../../texts.ts';

export type RecordedState = 'open' | 'acknowledged' | 'closed';

/** What can be done with a record in each state. */
export const nextStates: Readonly<Record<RecordedState, readonly RecordedState[]>> = {
  open: ['acknowledged', 'closed'],
  acknowledged: ['closed', 'open'],
  closed: ['open'],
};

export const stateAction = (state: RecordedState): ConsoleText => `monitoring_set_${state}`;

export const stateOf = (row: Row): RecordedState =>
  row.state === 'acknowledged' || row.state === 'closed' ? row.state : 'open';

/** @param etag of the record as it was read; without it the state is set whatever the record is */
export const stateWrite = (kind: Kind, id: string, state: RecordedState, etag?: string): Write => ({
  verb: kind.update ?? kind.list,
  path: { [kind.idParam ?? 'id']: id },
  body: { state },
  etag,
});

/** Requests at the same time. */
const atOnce = 4;

export type Outcome = {
  done: number;
  all: number;
  /** Records that a trial would change; the others have the state already. */
  changed: number;
  failed: { id: string; problem: Problem }[];
  isTrial: boolean;
};

async function wouldChange(what: Write): Promise<boolean> {
  const { events } = await tryWrite(what);
  return events.some(({ changes }) => changes.length > 0);
}

/** Sets the state of several records, one request for each, or tries it. */
export function useStates(kind: Kind) {
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async (ids: readonly string[], state: RecordedState, isTrial = false): Promise<Outcome> => {
    const waiting = [...ids];
    const reached: Outcome = { done: 0, all: ids.length, changed: 0, failed: [], isTrial };
    setOutcome({ ...reached });
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        try {
          const what = stateWrite(kind, id, state);
          if (!isTrial) await write(what);
          else if (await wouldChange(what)) reached.changed += 1;
        } catch (error) {
          reached.failed.push({ id, problem: problemOf(error) });
        }
        reached.done += 1;
        setOutcome({ ...reached });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (!isTrial) await forgetKind(client, kind.type);
    return reached;
  };
  return { outcome, run, forget: () => setOutcome(undefined) };
}
