import type { JSX } from 'preact';
import { momentText } from '../text/moments.ts';
import classes from './account.module.css';
import { say } from './texts.ts';
import type { Profile } from './use-profile.ts';

/** What the portal has about the user. Members without a value are left out. */
export function ProfileList({ profile }: { profile: Profile }): JSX.Element {
  const { name, real_name, domain, email, roles, groups, last_login_at, session } = profile;
  const rows: [string, string][] = [
    [say('account_name'), real_name],
    [say('account_login'), name],
    [say('account_domain'), domain.name],
    [say('account_email'), email],
    [say('account_roles'), namesOf(roles)],
    [say('account_groups'), namesOf(groups)],
    [say('account_last_login'), last_login_at === null ? '' : momentText(last_login_at)],
    [say('account_session_until'), momentText(session.expires_at)],
  ];
  return (
    <dl class={classes.facts}>
      {rows
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const namesOf = (records: readonly { name: string }[]): string => records.map(({ name }) => name).join(', ');
