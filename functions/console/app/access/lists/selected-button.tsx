import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import type { Row } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { type Each, EachDialog } from './each-dialog.tsx';

type SelectedButtonProps = {
  label: string;
  selection: Selected;
  /** What is asked and sent for the selected rows. */
  each: (rows: readonly Row[]) => Each;
};

/** An action on all selected rows. */
export function SelectedButton({ label, selection, each }: SelectedButtonProps): JSX.Element {
  const [asked, ask] = useState<Each>();
  const rows = () => selection.keys.map(selection.rowOf).filter((row) => row !== undefined);
  return (
    <>
      <Button look="danger" onClick={() => ask(each(rows()))}>
        {label}
      </Button>
      {asked && <EachDialog {...asked} onClose={() => ask(undefined)} onDone={selection.clear} />}
    </>
  );
}
