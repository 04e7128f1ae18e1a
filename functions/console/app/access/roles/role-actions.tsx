import type { JSX } from 'preact';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { allowed, type Kind } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { queryOf } from './matrix/matrix.ts';

const matrixOf = (chosen: readonly string[]): string => addressOf(['role-matrix'], queryOf({ chosen }));

/** The role in the matrix, and a new role that begins with its rights. */
export function RoleActions({ target, state: { row } }: { target: Target; state: RecordState }): JSX.Element {
  const { kind, id } = target;
  return (
    <>
      <LinkButton look="plain" href={matrixOf([id])}>
        {say('roles_compare_action')}
      </LinkButton>
      {allowed(kind.create) && (
        <LinkButton look="plain" icon="copy" href={addressOf([kind.type, 'new'], copyOf(row))}>
          {say('roles_copy')}
        </LinkButton>
      )}
    </>
  );
}

/** What the form of a new role takes from another one: without the sites, a copy would apply in all of them. */
const copyOf = ({ permissions, scope }: RecordState['row']): Record<string, string> => ({
  permissions: Array.isArray(permissions) ? permissions.join() : '',
  scope: JSON.stringify(scope),
});

export const MatrixLink = (): JSX.Element => (
  <LinkButton look="plain" href={addressOf(['role-matrix'])}>
    {say('roles_matrix_title')}
  </LinkButton>
);

/** Compares the selected roles. */
export const CompareSelected = ({ selection }: { kind: Kind; selection: Selected }): JSX.Element => (
  <LinkButton look="plain" href={matrixOf(selection.keys)}>
    {say('roles_compare_selected')}
  </LinkButton>
);
