import type { JSX } from 'preact';
import { Combobox } from '../../../../../shared/web/ui/controls/combobox.tsx';
import { kindOf, useKinds } from '../kinds.ts';
import { findNamed, useNames } from '../references.ts';

type ReferenceInputProps = {
  label: string;
  /** Type of the records. */
  type: string;
  ids: readonly string[];
  isMany: boolean;
  onChange: (ids: string[]) => void;
  hint?: string | undefined;
  fault?: string | undefined;
  isRequired?: boolean;
  disabled?: boolean;
};

/** A choice of records by their names. */
export function ReferenceInput({ type, ids, ...rest }: ReferenceInputProps): JSX.Element {
  const kind = kindOf(useKinds(), type);
  const names = useNames(type, ids);
  const chosen = ids.map((id) => names.of(id) ?? { id, name: `${id.slice(0, 8)}…` });
  return (
    <Combobox
      {...rest}
      chosen={chosen}
      find={async (text, signal) => (kind ? findNamed(kind, text, signal) : [])}
    />
  );
}
