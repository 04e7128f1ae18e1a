/*
 * The kinds of dispatchers, by their names in the API and in the database, and what each kind can do. The API returns
 * the capabilities of farms and dispatchers; an operation without its capability fails before any call.
 */

/** Everything that not every kind can do. */
export const capabilities = [
  /** Messages to the users of workplaces. */
  'messages',
  'session_disconnect',
  'session_logoff',
  /** An administrator assists a user in a session. */
  'session_assistance',
  /** Start, stop, suspend and reset of machines. */
  'machine_actions',
  /** Reset of machines; included in `machine_actions`. */
  'machine_reset',
  'workplace_maintenance',
  'workplace_tags',
  /** A workplace returns to the state of its template. */
  'workplace_refresh',
  'workplace_unassign',
  /** A workplace goes from its owner to another user with one order. */
  'workplace_reassign',
  'pool_settings',
  /** Maintenance of a pool with a message. Without `pool_maintenance`, access to the pool is closed instead. */
  'pool_maintenance',
  'pool_access',
  /** A question about the readiness of a service that has no effect. Without it, the lists decide. */
  'readiness',
  /**
   * A request for a connection that was not answered may be repeated at another farm. Without it, the request assigns a
   * machine, and a rule does not go on.
   */
  'repeatable_connections',
  /** Sessions that the node reports. Without it, they are derived from the use of workplaces. */
  'reported_sessions',
  /** Lists in pages, with changes since an earlier read. Without it, a list is read as a whole, and less often. */
  'paged_lists',
  /** The health check of the node has an access key. */
  'health_key',
  /** The node has an account for the portal, in place of tokens that the portal signs. */
  'service_account',
  /** Domains and login names can differ between the portal and the node. */
  'identity_mapping',
] as const;
export type Capability = (typeof capabilities)[number];

const everything = capabilities.filter(
  (one) => !['service_account', 'identity_mapping', 'pool_access', 'workplace_reassign'].includes(one),
);

export const capabilitiesOf = {
  dispatcher: everything,
  openuds: [
    ...(['machine_reset', 'workplace_reassign', 'pool_settings', 'pool_access'] as const),
    ...(['service_account', 'identity_mapping'] as const),
  ],
} as const satisfies Record<string, readonly Capability[]>;

export type DispatcherKindName = keyof typeof capabilitiesOf;

export const dispatcherKindNames = Object.keys(capabilitiesOf) as [
  DispatcherKindName,
  ...DispatcherKindName[],
];

/** True if nodes of the kind can do it. An unknown kind can do nothing. */
export const isCapable = (kind: string, capability: Capability): boolean => {
  const found: readonly Capability[] = capabilitiesOf[kind as DispatcherKindName] ?? [];
  return found.includes(capability);
};
