import { useLayoutEffect, useState } from 'preact/hooks';
import type { Field } from '../kinds.ts';
import { dropDraft, keepDraft, readDraft } from './drafts.ts';
import { isEqual, type Values } from './form-values.ts';

export type Form = {
  values: Values;
  set: (name: string, value: unknown) => void;
  replace: (values: Values) => void;
  /** Something differs from the values at the start. */
  isChanged: boolean;
  /** The values are those of an earlier, unsaved form. */
  hasDraft: boolean;
  /** Back to the values at the start. */
  reset: () => void;
  /** The form is saved: its draft is no longer needed. */
  finish: () => void;
};

/** The values of a form, which survive a reload of the page. @param start the values without changes */
export function useForm(address: string, fields: readonly Field[], start: Values): Form {
  const [draft] = useState(() => readDraft(address));
  const [values, setValues] = useState<Values>(() => ({ ...start, ...draft?.values }));
  const [hasDraft, setHasDraft] = useState(draft !== undefined);
  const isChanged = fields.some(({ name }) => !isEqual(values[name], start[name]));
  // Before the page is drawn, because it can be left at once.
  useLayoutEffect(() => {
    if (isChanged) keepDraft(address, fields, values);
    else dropDraft(address);
  }, [values, isChanged]);
  return {
    values,
    set: (name, value) => setValues((old) => ({ ...old, [name]: value })),
    replace: setValues,
    isChanged,
    hasDraft: hasDraft && isChanged,
    reset: () => {
      setValues(start);
      setHasDraft(false);
    },
    finish: () => dropDraft(address),
  };
}
