import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { Column } from '../../../../../shared/web/ui/table/columns.ts';
import { Table } from '../../../../../shared/web/ui/table/table.tsx';
import { may } from '../../facts.ts';
import { NameBadge } from '../../records/fields/person-badges.tsx';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { userAddress } from '../lists/user-address.ts';
import classes from '../parts/parts.module.css';
import { actionOf, actionText, matches, resourceText } from '../parts/rights.ts';
import { groupsOf, type PermissionGroup } from './permissions.ts';

type RolePartsProps = { target: Target; state: RecordState };

/** What a role grants, and which users have it. */
export const RoleParts = ({ target, state: { row } }: RolePartsProps): JSX.Element => (
  <>
    <GrantedRights permissions={Array.isArray(row.permissions) ? row.permissions.map(String) : []} />
    {may(['users.read']) && <Holders id={target.id} />}
  </>
);

/** Rows from which a filter helps. */
const fewRows = 8;

function GrantedRights({ permissions }: { permissions: readonly string[] }): JSX.Element {
  const [text, setText] = useState('');
  return (
    <section class={classes.card}>
      <h2>{say('roles_granted_title', { count: permissions.length })}</h2>
      {permissions.length === 0 ? (
        <p class={classes.quiet}>{say('roles_granted_none')}</p>
      ) : (
        <>
          {groupsOf(permissions).length > fewRows && (
            <SearchField label={say('roles_filter')} text={text} onText={setText} />
          )}
          <Table
            caption={say('roles_granted_title', { count: permissions.length })}
            columns={rightColumns}
            rows={groupsOf(permissions.filter((permission) => matches(permission, text)))}
            rowKey={({ resource }) => resource}
            empty={say('roles_no_match')}
          />
        </>
      )}
    </section>
  );
}

const rightColumns: Column<PermissionGroup>[] = [
  {
    key: 'resource',
    header: say('access_column_resource'),
    cell: ({ resource }) => resourceText(resource),
  },
  {
    key: 'actions',
    header: say('access_column_actions'),
    cell: ({ permissions }) => permissions.map((one) => actionText(actionOf(one))).join(', '),
  },
];

/** Users that are shown; the list of users has all. */
const mostHolders = 10;

type User = Operations['portalUser.list']['answer']['items'][number];

/** The users that have the role. */
function Holders({ id }: { id: string }): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['holders', 'portalUser', id],
    queryFn: ({ signal }) =>
      portal.call(
        'portalUser.list',
        { query: { role: id, limit: mostHolders, sort: 'name', count: 'exact' } },
        { signal },
      ),
  });
  return (
    <section class={classes.card}>
      <h2>{say('roles_holders_title', { count: data?.total ?? 0 })}</h2>
      <p class={classes.quiet}>{say('roles_holders_text')}</p>
      {error !== null && !data && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="6rem" />}
      {data && (
        <Table
          caption={say('roles_holders_title', { count: data.total ?? 0 })}
          columns={holderColumns}
          rows={data.items}
          rowKey={(user) => user.id}
          empty={say('roles_holders_none')}
        />
      )}
      {data && data.next !== null && (
        <a href={addressOf(['portalUser'], { role: id })}>
          {say('roles_holders_all', { count: data.total ?? data.items.length })}
        </a>
      )}
    </section>
  );
}

const holderColumns: Column<User>[] = [
  {
    key: 'name',
    header: say('roles_column_user'),
    cell: (user) => (
      <>
        <a href={userAddress(user)}>{user.name}</a>
        <NameBadge name={user.name} />
      </>
    ),
  },
  { key: 'real_name', header: say('roles_column_full_name'), cell: (user) => user.real_name || '–' },
  { key: 'domain', header: say('roles_column_domain'), cell: (user) => user.authenticator_name ?? '–' },
  {
    key: 'state',
    header: say('roles_column_state'),
    cell: ({ state }) => (
      <Mark tone={state === 'active' ? 'good' : 'off'}>
        {say(state === 'active' ? 'roles_user_active' : 'roles_user_inactive')}
      </Mark>
    ),
  },
];
