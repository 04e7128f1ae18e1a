import type { Extension } from '../../records/extension.ts';
import { PermissionsInput } from './form/permissions-input.tsx';
import { CompareSelected, MatrixLink, RoleActions } from './role-actions.tsx';
import { RoleParts } from './role-parts.tsx';

export const roleExtension: Extension = {
  columns: ['comments', 'scope', 'users_count', 'builtin', 'updated_at'],
  RecordActions: RoleActions,
  RecordParts: RoleParts,
  inParts: ['permissions'],
  inputs: { permissions: PermissionsInput },
  ListActions: MatrixLink,
  SelectionActions: CompareSelected,
};
