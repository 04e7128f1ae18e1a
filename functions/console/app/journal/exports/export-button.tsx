import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { may } from '../../facts.ts';
import type { Kind } from '../../records/kinds.ts';
import type { ListQuery } from '../../records/requests.ts';
import { lazy } from '../../shell/lazy.tsx';
import { say } from '../../texts.ts';
import { exportables } from './exportable.ts';

const OrderDialog = lazy(async () => (await import('./order-dialog.tsx')).OrderDialog);

type ExportButtonProps = {
  kind: Kind;
  /** What the list shows now. */
  query: ListQuery;
};

/** Orders a file with the rows of a list. Absent for lists that cannot be exported. */
export function ExportButton({ kind, query }: ExportButtonProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const exportable = exportables[kind.type];
  if (!exportable || !may([exportable.permission])) return null;
  return (
    <>
      <Button look="plain" icon="save" onClick={() => setOpen(true)}>
        {say('export_list')}
      </Button>
      {isOpen && <OrderDialog kind={kind} query={query} onClose={() => setOpen(false)} />}
    </>
  );
}
