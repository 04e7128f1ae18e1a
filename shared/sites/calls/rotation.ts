import type { CallCtx } from './dispatcher-keys.ts';

/** Turns by farm and by rule: with one count for all, those that are asked for together would keep their places. */
const turns = new WeakMap<CallCtx['deps'], Map<string, number>>();

/** The turn that `nextTurn` will give. */
export const presentTurn = (deps: CallCtx['deps'], { id }: { id: string }): number =>
  turns.get(deps)?.get(id) ?? 0;

/** @returns a number that grows from call to call */
export function nextTurn(deps: CallCtx['deps'], one: { id: string }): number {
  const turn = presentTurn(deps, one);
  turns.set(deps, (turns.get(deps) ?? new Map<string, number>()).set(one.id, turn + 1));
  return turn;
}
