export type SignedInUser = {
  login: string;
  /** Full name, otherwise the login name. */
  name: string;
  portal: 'admin' | 'user';
  must_change_password: boolean;
};
