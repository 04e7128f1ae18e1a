import type { Field, Kind, Parents } from '../kinds.ts';
import { pathValues, type RecordState, readRecord, type Target, type Write } from '../requests.ts';
import {
  bodyOfChange,
  bodyOfNew,
  type Conflict,
  conflictsOf,
  recordValues,
  type Values,
} from './form-values.ts';

/** What a form is for. */
export type Edited = {
  kind: Kind;
  parents: Parents;
  fields: readonly Field[];
  start: Values;
  /** The record that is changed, and its version; undefined for a new one. */
  existing?: { target: Target; etag: string | undefined };
};

/** The conflicts of a form with a newer version. */
export type Found = { conflicts: Conflict[]; theirs: RecordState };

/** The write of a form. @param state the version that the write replaces; default: the one that was read with the form */
export function writeFor(
  { kind, parents, fields, start, existing }: Edited,
  values: Values,
  state?: RecordState,
): Write {
  const verb = (existing ? kind.update : kind.create) ?? kind.list;
  if (!existing) return { verb, path: parents, body: bodyOfNew(fields, values) };
  const original = state ? recordValues(fields, state.row) : start;
  return {
    verb,
    path: pathValues(kind, parents, existing.target.id),
    body: bodyOfChange(fields, values, original),
    etag: state ? state.etag : existing.etag,
  };
}

export async function foundNow(
  { existing, fields, start }: Edited,
  mine: Values,
): Promise<Found | undefined> {
  if (!existing) return undefined;
  const theirs = await readRecord(existing.target);
  const values = { mine, theirs: recordValues(fields, theirs.row), original: start };
  return { conflicts: conflictsOf(fields, values), theirs };
}
