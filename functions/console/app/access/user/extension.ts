import type { Extension } from '../../records/extension.ts';
import { BindSelected, canBind } from './bind-selected.tsx';
import { UserActions } from './user-actions.tsx';
import { UserParts } from './user-parts.tsx';

export const userExtension: Extension = {
  RecordActions: UserActions,
  RecordParts: UserParts,
  SelectionActions: BindSelected,
  canSelect: canBind,
};
