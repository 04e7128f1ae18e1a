import type { JSX } from 'preact';
import { may } from '../../facts.ts';
import type { Kind, Row } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { say } from '../../texts.ts';
import { ending } from '../user/sessions-card.tsx';
import { RowActions } from './row-actions.tsx';
import { SelectedButton } from './selected-button.tsx';
import { idIn } from './user-address.ts';

const mayEnd = (): boolean => may(['users.update']);

export const SessionActions = ({ row, onClose }: { row: Row; onClose: () => void }): JSX.Element => (
  <RowActions row={row} action={mayEnd() ? ending({ id: idIn(row) }) : undefined} onClose={onClose} />
);

export const EndSessions = ({ selection }: { kind: Kind; selection: Selected }): JSX.Element | null =>
  mayEnd() ? (
    <SelectedButton
      label={say('access_sessions_end_selected')}
      selection={selection}
      each={(rows) => ({
        title: say('access_sessions_end_selected_title', { count: rows.length }),
        text: say('access_session_end_text'),
        label: say('access_session_end'),
        items: rows.map((row) => ({
          name: `${row.user}, ${row.source_ip}`,
          sending: ending({ id: idIn(row) }).sending,
        })),
        changes: ['loginSession'],
      })}
    />
  ) : null;
