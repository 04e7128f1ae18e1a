import { randomBytes } from 'node:crypto';
import { type Db, dryRun, withTransaction } from '../../../../db/client.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { Pictures } from '../file/pictures.ts';
import type { Operator } from '../records/operator.ts';
import { mustNotBeInUse } from './in-use-check.ts';
import type { Action, Change, Delete } from './plan.ts';
import { type Run, type RunHints, runAction, yieldPlace } from './run-action.ts';

type Step = { action: Action; means: RunHints };
/** Actions that are only possible together: some records yield unique values first, all in one transaction. */
export type Unit = { yields: { action: Change | Delete; token: string }[]; steps: Step[] };

export type Refusal = { action: Action; error: AppError };
export type Schedule = {
  units: Unit[];
  /** Records that are kept, with the reason. */
  retained: { action: Delete; reason: AppError }[];
  refused: Refusal[];
};

/**
 * Determines, in a transaction that is rolled back, a possible order of the actions, and which ones are rejected. A
 * rejected action is retried after others, because it may depend on records or names that they create or release.
 */
export const rehearsed = (
  operator: Operator,
  actions: readonly Action[],
  pictures: Pictures,
): Promise<Schedule> =>
  dryRun(operator.db, async (handle) => {
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
      waiting = waiting.filter((step) => !unit.steps.includes(step));
    }
    return { units, ...sorted(waiting.length > 0 ? refused : []) };
  });

/** A rejected deletion keeps its record; any other rejection is an error. */
function sorted(all: readonly Refusal[]): Pick<Schedule, 'retained' | 'refused'> {
  const retained = all.flatMap(({ action, error }) =>
    action.do === 'delete' ? [{ action, reason: error }] : [],
  );
  return { retained, refused: all.filter(({ action }) => action.do !== 'delete') };
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
      if (step.action.do === 'delete') await mustNotBeInUse(inner.operator, step.action.stored);
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

/** Runs in a savepoint, so that a rejected action leaves no changes. */
const within = <T>(run: Run, handle: Db, work: (inner: Run) => Promise<T>): Promise<T> =>
  withTransaction(handle, (inner) => work({ ...run, operator: run.operator.on(inner) }));

/** Lets all records yield their unique values before any action. Records that cannot be deleted are skipped. */
async function tryTogether(run: Run, handle: Db, waiting: readonly Step[]): Promise<Unit | undefined> {
  let steps = [...waiting];
  for (;;) {
    const unit: Unit = { yields: steps.flatMap(({ action }) => yieldOf(action)), steps: [] };
    if (unit.yields.length === 0) return undefined;
    let left: Step[] = [];
    try {
      await within(run, handle, async (inner) => {
        await giveUpPlaces(inner, unit, steps);
        left = await inOrder(inner, unit, steps);
        if (left.length > 0) throw new AppError('invalid_state');
      });
      return unit;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const { means } of steps) delete means.revision;
      if (left.length === 0 || left.some(({ action }) => action.do !== 'delete')) return undefined;
      steps = steps.filter((step) => !left.includes(step));
    }
  }
}

function yieldOf(action: Action): Unit['yields'] {
  if (action.do === 'create') return [];
  const { kind } = action.stored;
  return kind.yields ? [{ action, token: `moving-${randomBytes(4).toString('hex')}` }] : [];
}

async function giveUpPlaces(run: Run, { yields }: Unit, steps: readonly Step[]): Promise<void> {
  for (const { action, token } of yields) {
    const revision = await yieldPlace(run, action, token);
    const step = steps.find((one) => one.action === action);
    if (step && revision !== undefined) step.means.revision = revision;
  }
}

/**
 * Runs the steps until none of the remaining ones is possible, and records their order. @returns the remaining steps
 */
async function inOrder(run: Run, unit: Unit, steps: readonly Step[]): Promise<Step[]> {
  let waiting = [...steps];
  for (;;) {
    const { done, refused } = await tryAll(run, run.operator.db, waiting);
    unit.steps.push(...done);
    waiting = refused.map(({ step }) => step);
    if (waiting.length === 0 || done.length === 0) return waiting;
  }
}

/** Runs one unit of a schedule. @throws AppError */
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
