import type { JSX } from 'preact';
import { Icon } from '../../../shared/web/ui/controls/icon.tsx';
import { say } from './texts.ts';

/** The fragment of the address that shows the account. */
export const account = '#account';

/** The item of the menu of the user that opens the account. */
export const AccountLink = (): JSX.Element => (
  <a href={account}>
    <Icon name="user" />
    {say('account')}
  </a>
);
