import type { RecordedValues } from '../../../../db/repositories/audit/record-history.ts';
import { canonicalJson, isObject } from '../../../kernel/json/json.ts';

/** The members of a record at one of its versions. The three parts have no member in common. */
export type RecordState = {
  /** The values at that time. */
  values: Record<string, unknown>;
  /** Members that the record did not have yet. */
  absent: string[];
  /** Members that changed without an audit event. The values are those of the next known time. */
  uncertain: Record<string, unknown>;
};

/**
 * Computes the state of a record at a version. A member has the value before its first later change, or its present
 * value if it has not changed since. Its last change up to the version must have set the same value; otherwise a
 * change between the two has no audit event, and only the version that is that change itself has a certain value.
 * @param present members of the record as they are now
 */
export function stateAt(present: Readonly<Record<string, unknown>>, recorded: RecordedValues): RecordState {
  const state: RecordState = { values: {}, absent: [], uncertain: {} };
  for (const [name, value] of Object.entries(present)) place(state, name, value ?? null, recorded);
  return state;
}

function place(state: RecordState, name: string, present: unknown, recorded: RecordedValues): void {
  const { later, earlier, isCreated } = recorded;
  const next = Object.hasOwn(later, name) ? later[name] : present;
  const last = Object.hasOwn(earlier, name) ? earlier[name] : undefined;
  if (last === undefined) {
    // A creation contains every member with a value.
    if (isCreated && next !== null) state.absent.push(name);
    else state.values[name] = unmasked(next);
  } else if (last.isOwn || isSame(last.value, next)) state.values[name] = unmasked(last.value);
  else state.uncertain[name] = unmasked(next);
}

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(unmasked(one) ?? null) === canonicalJson(unmasked(other) ?? null);

/** Secrets within an object are null, as in responses, if `<name>_set` is beside them. */
function unmasked(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, Object.hasOwn(value, `${name}_set`) ? null : member]),
  );
}
