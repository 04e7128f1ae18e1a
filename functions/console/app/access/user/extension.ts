import type { Extension } from '../../records/extension.ts';
import { UserActions } from './user-actions.tsx';
import { UserParts } from './user-parts.tsx';

export const userExtension: Extension = { RecordActions: UserActions, RecordParts: UserParts };
