import type { JSX } from 'preact';
import { may } from '../../facts.ts';
import type { Kind, Row } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { say } from '../../texts.ts';
import { revoking } from '../user/tokens-card.tsx';
import { RowActions } from './row-actions.tsx';
import { SelectedButton } from './selected-button.tsx';
import { idIn, nameIn, ownerIn } from './user-address.ts';

const mayRevoke = (): boolean => may(['users.update']);
const revokingRow = (row: Row) => revoking(ownerIn(row), { id: idIn(row), name: nameIn(row) });

export const TokenActions = ({ row, onClose }: { row: Row; onClose: () => void }): JSX.Element => (
  <RowActions row={row} action={mayRevoke() ? revokingRow(row) : undefined} onClose={onClose} />
);

export const RevokeTokens = ({ selection }: { kind: Kind; selection: Selected }): JSX.Element | null =>
  mayRevoke() ? (
    <SelectedButton
      label={say('access_tokens_revoke_selected')}
      selection={selection}
      each={(rows) => ({
        title: say('access_tokens_revoke_selected_title', { count: rows.length }),
        text: say('access_token_revoke_text'),
        label: say('access_token_revoke'),
        items: rows.map((row) => ({
          name: `${nameIn(row)} (${row.user})`,
          sending: revokingRow(row).sending,
        })),
        changes: ['issuedToken', 'serviceToken'],
      })}
    />
  ) : null;
