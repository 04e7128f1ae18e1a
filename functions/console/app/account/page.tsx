import type { JSX } from 'preact';
import { AccountParts } from '../../../../shared/web/account/account-parts.tsx';
import { say } from '../texts.ts';
import classes from './account.module.css';

/** Profile, password, second factor, sessions and service tokens of the user. */
export const AccountPage = (): JSX.Element => (
  <div class={classes.page}>
    <h1>{say('account')}</h1>
    <AccountParts />
  </div>
);
