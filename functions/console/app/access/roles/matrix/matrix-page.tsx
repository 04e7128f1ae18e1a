import type { JSX } from 'preact';
import { problemOf } from '../../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../../shared/web/problems/problem-notice.tsx';
import { LinkButton } from '../../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Notice, Skeleton } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { allowed, kindOf, useKinds } from '../../../records/kinds.ts';
import { CopyCommand } from '../../../records/record/copy-command.tsx';
import { curlOf } from '../../../records/requests.ts';
import { addressOf, open, placeOf, usePlace } from '../../../router/place.ts';
import { say } from '../../../texts.ts';
import { resourceOf } from '../../parts/rights.ts';
import { usePermissions } from '../permissions.ts';
import classes from './matrix.module.css';
import {
  listQuery,
  type MatrixView,
  mostRoles,
  queryOf,
  type Role,
  rowsOf,
  shownRoles,
  useRoles,
  viewOf,
} from './matrix.ts';
import { MatrixTable } from './matrix-table.tsx';
import { MatrixTools } from './matrix-tools.tsx';
import { useNarrow } from './use-narrow.ts';

/** Roles that fit beside each other on a phone. */
const fewRoles = 2;

/** Which role grants what. The compared roles and the filter are in the address. */
export function RoleMatrixPage(): JSX.Element {
  const { query } = usePlace();
  const view = viewOf(query);
  const { roles, error, isPart, isReading } = useRoles(view.chosen);
  const permissions = usePermissions();
  return (
    <div class={classes.page}>
      <Heading />
      <p class={classes.quiet}>{say('roles_matrix_intro')}</p>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {(!roles || !permissions) && error === null && <Skeleton height="24rem" />}
      {roles && permissions && (
        <>
          {isPart && (
            <Notice tone="info" title={say('roles_matrix_part', { count: mostRoles })}>
              {say('roles_matrix_part_text')}
            </Notice>
          )}
          <Matrix
            view={view}
            roles={roles}
            permissions={permissions.map(({ value }) => value)}
            isReading={isReading}
          />
        </>
      )}
    </div>
  );
}

function Heading(): JSX.Element {
  const create = allowed(kindOf(useKinds(), 'role')?.create);
  const query = { ...listQuery, limit: String(mostRoles) };
  return (
    <div class={classes.heading}>
      <h1>{say('roles_matrix_title')}</h1>
      <CopyCommand command={() => curlOf({ method: 'GET', path: '/api/webui/aggregator/rbac', query })} />
      <LinkButton look="plain" href={addressOf(['role'])}>
        {say('roles_list')}
      </LinkButton>
      {create && <LinkButton href={addressOf(['role', 'new'])}>{create.label}</LinkButton>}
    </div>
  );
}

/** Changes the address, as it is when something that was typed has settled. */
function show(changes: Partial<MatrixView>): void {
  const view = viewOf(placeOf(location.hash).query);
  open(addressOf(['role-matrix'], queryOf({ ...view, ...changes })), { isSame: true });
}

type MatrixProps = {
  view: MatrixView;
  roles: readonly Role[];
  permissions: readonly string[];
  /** Chosen roles are not read yet. */
  isReading: boolean;
};

function Matrix({ view, roles, permissions, isReading }: MatrixProps): JSX.Element {
  const isNarrow = useNarrow();
  const chosen = shownRoles(roles, view.chosen);
  const isCut = isNarrow && view.chosen.length === 0 && chosen.length > fewRoles;
  const shown = isCut ? chosen.slice(0, fewRoles) : chosen;
  const canCompare = view.chosen.length > 1;
  const seen = { ...view, onlyDifferent: view.onlyDifferent && canCompare };
  const groups = rowsOf(permissions, seen, shown);
  return (
    <>
      <MatrixTools {...{ view: seen, roles, canCompare }} hint={hintOf(view, isCut)} onChange={show} />
      {isReading && <Skeleton height="3rem" />}
      {!isReading && shown.length < view.chosen.length && (
        <Notice tone="warn" title={say('roles_matrix_gone')} />
      )}
      <Summary groups={groups} total={permissions.length} />
      {groups.length === 0 ? (
        <Empty icon="search" title={say(seen.onlyDifferent ? 'roles_matrix_same' : 'roles_no_match')} />
      ) : (
        <MatrixTable
          groups={groups}
          all={Map.groupBy(permissions, resourceOf)}
          roles={shown}
          marksDifferences={canCompare}
        />
      )}
    </>
  );
}

/** What is shown without a choice of roles. */
function hintOf({ chosen }: MatrixView, isCut: boolean): string | undefined {
  if (chosen.length > 0) return undefined;
  return say(isCut ? 'roles_matrix_narrow' : 'roles_compare_hint');
}

/** The number of rows, read out when it changes. */
const Summary = ({ groups, total }: { groups: ReturnType<typeof rowsOf>; total: number }): JSX.Element => {
  const count = groups.reduce((sum, group) => sum + group.permissions.length, 0);
  return (
    <p class={classes.quiet} role="status">
      {say('roles_matrix_rows', { count, total })}
    </p>
  );
};
