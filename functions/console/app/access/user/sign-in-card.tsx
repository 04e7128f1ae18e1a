import type { JSX } from 'preact';
import { dateText } from '../../../../../shared/web/text/moments.ts';
import type { Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import type { UserAccess } from './use-access.ts';

/** The second factor, and the directory entry. */
export const SignInCard = ({ access }: { access: UserAccess }): JSX.Element => (
  <section class={classes.card}>
    <h2>{say('access_sign_in_title')}</h2>
    <dl class={classes.facts}>
      <div>
        <dt>{say('access_factor')}</dt>
        <dd>{factorText(access)}</dd>
      </div>
      {access.binding !== 'none' && (
        <div>
          <dt>{say('access_binding')}</dt>
          <dd>{say(`access_binding_${access.binding}`)}</dd>
        </div>
      )}
    </dl>
  </section>
);

function factorText({ two_factor, passkeys }: UserAccess): string {
  const { enrolled_at, is_required, is_waived } = two_factor;
  if (enrolled_at === null && passkeys.length > 0)
    return say('access_factor_passkeys', { count: passkeys.length });
  if (enrolled_at !== null) return say('access_factor_enrolled', { date: dateText(enrolled_at) });
  if (!is_required) return say('access_factor_none');
  return is_waived ? say('access_factor_waived') : say('access_factor_required');
}

/** The groups of the account and the meta groups whose condition it meets. */
export function GroupsCard({
  target,
  access: { groups },
}: {
  target: Target;
  access: UserAccess;
}): JSX.Element | null {
  if (groups === null) return null;
  return (
    <section class={classes.card}>
      <h2>{say('access_groups_title')}</h2>
      {groups.length === 0 && <p class={classes.quiet}>{say('access_groups_none')}</p>}
      <ul class={classes.list}>
        {groups.map((group) => (
          <li key={group.id}>
            <a href={addressOf(['group', group.id], target.parents)}>{group.name}</a>
            <span class={classes.quiet}>{notesOf(group)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const notesOf = ({ type, state, skip_two_factor }: NonNullable<UserAccess['groups']>[number]): string =>
  [
    type === 'meta' && say('access_group_meta'),
    state === 'inactive' && say('access_group_inactive'),
    skip_two_factor && say('access_group_skips'),
  ]
    .filter(Boolean)
    .join(' · ');
