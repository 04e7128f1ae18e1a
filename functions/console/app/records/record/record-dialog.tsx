import type { JSX } from 'preact';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import type { Kind, Row } from '../kinds.ts';
import { Members } from './members.tsx';

type RecordDialogProps = { kind: Kind; row: Row; title: string; onClose: () => void };

/** A record that the API returns in lists only. */
export function RecordDialog({ kind, row, title, onClose }: RecordDialogProps): JSX.Element {
  const { DialogParts, foldsMembers } = useExtension(kind) ?? {};
  const members = <Members fields={kind.columns} row={row} />;
  return (
    <Dialog title={title} onClose={onClose} isWide={foldsMembers === true}>
      {DialogParts && <DialogParts kind={kind} row={row} onClose={onClose} />}
      {foldsMembers ? (
        <details>
          <summary>{say('all_members')}</summary>
          {members}
        </details>
      ) : (
        members
      )}
    </Dialog>
  );
}
