import type { JSX } from 'preact';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import type { Draft } from '../draft.ts';
import type { Setup } from '../use-setup.ts';

type StepFieldProps = {
  setup: Setup;
  member: 'name' | 'uri' | 'farm' | 'url' | 'node' | 'accountDomain' | 'accountName';
  label: string;
  hint: string;
  maxLength?: number;
  placeholder?: string;
  /** What else changes with the value. */
  also?: Partial<Draft>;
};

/** A required text of the draft. Once it is typed, it is no longer suggested. */
export function StepField({ setup, member, also, maxLength = 2_048, ...rest }: StepFieldProps): JSX.Element {
  const { draft, faults, set } = setup;
  const isSuggested = member === 'uri' || member === 'farm' || member === 'node';
  const own = isSuggested ? { own: [...draft.own.filter((one) => one !== member), member] } : {};
  const isName = member === 'name' || member === 'farm';
  return (
    <Field
      {...rest}
      fault={faults[member]}
      maxLength={maxLength}
      autocomplete="off"
      {...(!isName && { autocapitalize: 'none', spellcheck: false })}
      required={true}
      value={draft[member]}
      onInput={({ currentTarget }) => set({ [member]: currentTarget.value, ...own, ...also })}
    />
  );
}
