import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Combobox } from '../../../../../../shared/web/ui/controls/combobox.tsx';
import { SearchField } from '../../../../../../shared/web/ui/controls/search-field.tsx';
import { Switch } from '../../../records/form/inputs/switch.tsx';
import { kindOf, useKinds } from '../../../records/kinds.ts';
import { findNamed } from '../../../records/references.ts';
import { say } from '../../../texts.ts';
import classes from './matrix.module.css';
import type { MatrixView, Role } from './matrix.ts';

/** Milliseconds after the last key until the rows are filtered. */
const pauseMs = 150;

type MatrixToolsProps = {
  view: MatrixView;
  roles: readonly Role[];
  /** Enough roles are chosen. */
  canCompare: boolean;
  /** Below the choice of roles. */
  hint: string | undefined;
  onChange: (changes: Partial<MatrixView>) => void;
};

/** What the matrix shows: which roles and which rights. */
export function MatrixTools({ view, roles, canCompare, hint, onChange }: MatrixToolsProps): JSX.Element {
  const kind = kindOf(useKinds(), 'role');
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  return (
    <div class={classes.tools}>
      <Combobox
        label={say('roles_compare')}
        hint={hint}
        isMany={true}
        chosen={view.chosen.map((id) => ({ id, name: names.get(id) ?? `${id.slice(0, 8)}…` }))}
        onChange={(chosen) => onChange({ chosen })}
        find={async (text, signal) => (kind ? findNamed(kind, text, signal) : [])}
      />
      <div class={classes.filters}>
        <Search text={view.search} onText={(search) => onChange({ search })} />
        {canCompare && (
          <Switch
            label={say('roles_only_different')}
            isOn={view.onlyDifferent}
            onChange={(onlyDifferent) => onChange({ onlyDifferent })}
          />
        )}
      </div>
    </div>
  );
}

/** Keeps what is typed, and passes it on after a pause, because browsers limit changes of the address. */
function Search({ text: settled, onText }: { text: string; onText: (text: string) => void }): JSX.Element {
  const [text, setText] = useState(settled);
  useEffect(() => setText(settled), [settled]);
  useEffect(() => {
    if (text === settled) return;
    const timer = setTimeout(() => onText(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return <SearchField label={say('roles_filter')} text={text} onText={setText} />;
}
