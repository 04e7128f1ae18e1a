import type { Operations } from '../../../shared/client/portal-client.ts';

export type SignedInUser = {
  login: string;
  /** Full name, otherwise the login name. */
  name: string;
  portal: 'admin' | 'user';
  must_change_password: boolean;
};

/** The first factor: a user name and a password. */
export type Credentials = Omit<
  Operations['signIn.create']['asks']['body'],
  'code' | 'challenge_id' | 'locale' | 'platform'
>;
