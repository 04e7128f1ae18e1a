import type { JSX } from 'preact';
import { AccountParts } from '../../../shared/web/account/account-parts.tsx';
import classes from './account.module.css';
import { say } from './texts.ts';

/** The account, with the way back to the workplaces. */
export const Account = (): JSX.Element => (
  <>
    <p>
      <a href="#workplaces">{say('back_to_workplaces')}</a>
    </p>
    <h1 class={classes.title}>{say('account')}</h1>
    <AccountParts />
  </>
);
