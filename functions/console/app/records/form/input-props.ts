import type { Field } from '../kinds.ts';

export type InputProps = {
  field: Field;
  value: unknown;
  /** The value without changes. Undefined for a member of an object. */
  saved?: unknown;
  onChange: (value: unknown) => void;
  /** Of the member, in the body: `members/0/farm_id`. */
  place: string;
  faults: ReadonlyMap<string, string>;
  /** Of all members of the form, or of the object that has this member. */
  values: Readonly<Record<string, unknown>>;
  /** The record exists: members that cannot change are disabled. */
  isEdit: boolean;
  /** Another member that sets this one, such as a new picture. It has no input of its own. */
  setter?: Pick<InputProps, 'field' | 'value' | 'onChange' | 'place'>;
};

export const disabledOf = ({ field, isEdit }: InputProps): boolean => isEdit && field.isImmutable === true;
