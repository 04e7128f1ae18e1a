import type { JSX } from 'preact';

/** An unseen field, by which password managers store a new password with the name of its user. */
export const UserName = ({ login }: { login: string }): JSX.Element => (
  <input
    class="unseen"
    name="username"
    autocomplete="username"
    value={login}
    tabIndex={-1}
    readOnly={true}
    aria-hidden="true"
  />
);
