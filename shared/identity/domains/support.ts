/** What domains of a type allow. */
export type Support = {
  /** The portal stores the accounts. False: an external provider stores them, and the first login adds a row. */
  localUsers: boolean;
  /** The portal stores the passwords: the password policy applies, and administrators and users set them here. */
  ownPassword: boolean;
  /** Administrators can add users before the first login. */
  createsUsers: boolean;
  searchesUsers: boolean;
  searchesGroups: boolean;
  /** Logins can require a second factor of the portal. */
  secondFactor: boolean;
  /** Members of a user that each login updates. Administrators cannot change them. */
  refreshes: { name: boolean; groups: boolean };
  /** Identity providers maintain users and groups of the domain by SCIM. */
  provisioning: boolean;
  /** The domain has its own account at the provider, whose password can be refused. */
  bindAccount: boolean;
  /** Groups are known by an identifier that the provider sends, and not by a distinguished name. */
  groupsById: boolean;
};
