import { randomBytes } from 'node:crypto';
import { type Db, rehearse, withTransaction } from '../../../../db/client.ts';
import { AppError } from '../../../kernel/errors.ts';
import { holdOf } from './holds.ts';
import type { Operator } from './operator.ts';
import type { Pictures } from './pictures.ts';
import type { Action, Change, Delete } from './plan.ts';
import { type Means, type Run, runAction, yieldPlace } from './run-action.ts';

export type Step = { action: Action; means: Means };
/** Changes that only together are possible: some give up their place first, all of it in one transaction. */
export type Unit = { yields: { change: Change; token: string }[]; steps: Step[] };

export type Refusal = { action: Action; error: AppError };
export type Schedule = {
  units: Unit[];
  /** Records that stay, with the reason. */
  kept: { action: Delete; reason: AppError }[];
  refused: Refusal[];
};

/**
 * Finds out, in a transaction that is rolled back, in which order the actions are possible and which are refused. An action
 * that is refused is tried again after others: it may need a record, a place or a name that these bring or give up.
 */
export const rehearsed = (
  operator: Operator,
  actions: readonly Action[],
  pictures: Pictures,
): Promise<Schedule> =>
  rehearse(operator.db, async (handle) => {
    const run: Run = { operator: operator.on(handle), ids: new Map(), pictures, onToken: () => undefined };
    const units: Unit[] = [];
    let waiting = actions.map((action): Step => ({ action, means: {} }));
    let refused: Refusal[] = [];
    while (waiting.length > 0) {
      const pass = await tryAll(run, handle, waiting);
      units.push(...pass.done.map((step) => ({ yields: [], steps: [step] })));
      refused = pass.refused.map(({ step, error }) => ({ action: step.action, error }));
      waiting = pass.refused.map(({ step }) => step);
      if (pass.done.length > 0) continue;
      const unit = await tryTogether(run, handle, waiting);
      if (!unit) break;
      units.push(unit);
      waiting = waiting.filter(({ action }) => action.do === 'delete');
    }
    return { units, ...sorted(waiting.length > 0 ? refused : []) };
  });

/** A deletion that is refused leaves its record; anything else is a fault. */
function sorted(all: readonly Refusal[]): Pick<Schedule, 'kept' | 'refused'> {
  const kept = all.flatMap(({ action, error }) =>
    action.do === 'delete' ? [{ action, reason: error }] : [],
  );
  return { kept, refused: all.filter(({ action }) => action.do !== 'delete') };
}

type Pass = { done: Step[]; refused: { step: Step; error: AppError }[] };

async function tryAll(run: Run, handle: Db, steps: readonly Step[]): Promise<Pass> {
  const pass: Pass = { done: [], refused: [] };
  for (const step of steps) {
    const error = await refusalOf(run, handle, step);
    if (error) pass.refused.push({ step, error });
    else pass.done.push(step);
  }
  return pass;
}

async function refusalOf(run: Run, handle: Db, step: Step): Promise<AppError | undefined> {
  try {
    await within(run, handle, async (inner) => {
      if (step.action.do === 'delete') await holdOf(inner.operator, step.action.stored);
      await runAction(inner, step.action, step.means);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'secret_required' || step.means.sendsSecrets || !hasSecrets(step)) return error;
    step.means.sendsSecrets = true;
    return refusalOf(run, handle, step);
  }
}

const hasSecrets = ({ action }: Step): boolean => action.do === 'change' && action.secrets.length > 0;

/** A savepoint, so that a refusal leaves nothing. */
const within = <T>(run: Run, handle: Db, work: (inner: Run) => Promise<T>): Promise<T> =>
  withTransaction(handle, (inner) => work({ ...run, operator: run.operator.on(inner) }));

/** Lets every change that can give up its place do so before any of them is made. */
async function tryTogether(run: Run, handle: Db, waiting: readonly Step[]): Promise<Unit | undefined> {
  const steps = waiting.filter(({ action }) => action.do !== 'delete');
  const yields = steps.flatMap(({ action }) =>
    action.do === 'change' && action.entry.kind.yields
      ? [{ change: action, token: `moving-${randomBytes(4).toString('hex')}` }]
      : [],
  );
  if (yields.length === 0) return undefined;
  const unit: Unit = { yields, steps: [] };
  try {
    await within(run, handle, async (inner) => {
      await giveUpPlaces(inner, unit, steps);
      await inOrder(inner, unit, steps);
    });
    return unit;
  } catch (error) {
    for (const step of steps) delete step.means.revision;
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function giveUpPlaces(run: Run, { yields }: Unit, steps: readonly Step[]): Promise<void> {
  for (const { change, token } of yields) {
    const revision = await yieldPlace(run, change, token);
    const step = steps.find(({ action }) => action === change);
    if (step && revision !== undefined) step.means.revision = revision;
  }
}

/** Tries the steps until all are done, and notes their order. @throws AppError the first refusal when none is possible */
async function inOrder(run: Run, unit: Unit, steps: readonly Step[]): Promise<void> {
  let waiting = [...steps];
  while (waiting.length > 0) {
    const { done, refused } = await tryAll(run, run.operator.db, waiting);
    if (done.length === 0 && refused[0]) throw refused[0].error;
    unit.steps.push(...done);
    waiting = refused.map(({ step }) => step);
  }
}

/** Runs one unit of a schedule for good. @throws AppError */
export async function runUnit(run: Run, { yields, steps }: Unit): Promise<void> {
  const [only] = steps;
  if (yields.length === 0 && steps.length === 1 && only) {
    await runAction(run, only.action, only.means);
    return;
  }
  await within(run, run.operator.db, async (inner) => {
    await giveUpPlaces(inner, { yields, steps }, steps);
    for (const { action, means } of steps) await runAction(inner, action, means);
  });
}
