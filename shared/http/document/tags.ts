/** The description of each tag: the resource, its identifier and its owner. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  agent:
    'Calls of the agent (OpenUDS actor) in a virtual machine: registration, start, logins and logouts of users, log lines. The agent authenticates with a token in the body instead of a session.',
  audit:
    'The audit log: one event for each login and each write, linked by SHA-256 hashes. Events can be searched, verified and exported to a file.',
  authenticator:
    'Authentication domains: the built-in domain, directories (LDAP, Active Directory, FreeIPA) and identity providers (OpenID Connect). A domain owns its users and groups. Each type of domain describes its own parameters.',
  certificate:
    'Certificates: those that dispatcher nodes present, and the authorities that are trusted for nodes, domains, peers and webhooks.',
  'client key': 'The public keys with which the portal authenticates to the identity provider of a domain.',
  connection:
    'Connections of client programs to workplaces: readiness check, host, port and one-time credentials, `.rdp` and `.vv` files, reconnect links.',
  console: 'The console of administrators for browsers, with its files: the overview of all sites.',
  change: 'Changes of objects as they happen, as a stream of server-sent events or by polling.',
  dashboard: 'Summary figures: for administrators over all sites in their scope, for users over one site.',
  dispatcher:
    'Dispatcher nodes (connection brokers). A node belongs to a farm and has an HTTPS address. Health probes determine its state.',
  docs: 'The interactive API reference for browsers: the page and its files.',
  domain: 'The authentication domains that a sign-in form offers. The list is public.',
  error: 'Explanations of problem codes: meaning, usual causes and remedies.',
  export:
    'Files with the objects of a list, built in the background. Each list has the operations to order and to download one.',
  farm: 'Farms: groups of dispatcher nodes that serve the same pools and workplaces. A farm belongs to a site; calls are balanced over its nodes.',
  gateway:
    'Gateways: tunnel servers through which external clients reach the network of a site. A gateway authenticates with its own token and sends heartbeats.',
  group:
    'Groups of a domain. Services and sites are assigned to groups. Meta groups combine other groups of the same domain.',
  health:
    'Health check and metrics of the installation. They are served on the health port and require an access key instead of a session.',
  home: 'The page of the user for browsers, with its files: services at all sites, and connections to them.',
  'identity provider':
    'Sign-in and sign-out by identity providers (OpenID Connect): the addresses that browsers and providers open.',
  image: 'Pictures of services, transports and themes, as PNG, WebP or SVG of at most 256 KiB.',
  'issued token': 'The service tokens of all users, to find those that expire or are not used.',
  jwks: 'The public keys (JSON Web Key Set) with which dispatchers and peers verify the tokens that this portal signs.',
  liveness: 'Liveness check for process supervisors: the process answers requests.',
  'lock out': 'Lock-outs after failed logins, of accounts, networks or all logins: list them, and end one.',
  login:
    'Login with a password, with a password and a one-time code, or with a signed token, and logout. The login response contains the token for `X-Auth-Token`.',
  'login session': 'The login sessions of all users: list them, and end one.',
  'maintenance template':
    'Templates of maintenance windows: start and end, warnings to users, blocking of new sessions, handling of active sessions, and message texts.',
  module: 'The API modules that this portal serves, with their base paths and versions.',
  'monitoring record':
    'The monitoring journal: state changes of nodes, farms and sites, with time and cause.',
  'node info': 'The answering portal process: version, runtime, uptime and the state of its dependencies.',
  openapi: 'This OpenAPI document as JSON and as YAML.',
  passkey:
    'Passkeys (WebAuthn) of users of internal domains: registration, sign-in without a password, and use as the second factor of a login.',
  peer: 'Peer aggregators: other installations whose signed tokens are accepted, identified by issuer and public keys.',
  picture: 'The gallery: named pictures that rules can show to users.',
  pkinit:
    'Login with a smart card (PKINIT, RFC 4556): the data that the card signs, and the exchange of the signature for a session.',
  portal: 'The portal nodes of the installation, registered by their heartbeats, with version and state.',
  'portal user': 'The users of all domains in one list, to find an account whose domain is not known.',
  'priority group':
    'Priority groups: a farm order for selected users and groups. Rules use it to select a farm.',
  program:
    'Sign-in of client programs (RFC 8252) and of devices (RFC 8628) whose users sign in at an identity provider, with the consent of the person.',
  readiness: 'Readiness check for load balancers: the process can serve writes.',
  role: 'Roles: a set of permissions and the sites in which they apply. A user has the roles assigned to the account.',
  rule: 'Rules (merged resource sets): one service made of pools in several farms of a site, with the order in which farms are tried.',
  scim: 'Provisioning by SCIM 2.0: descriptions of the server, the search of users and groups, and bulk requests. Each request is one of a domain, with a service token that has the permission `scim.provision` alone.',
  'scim group': 'Groups of a domain as an identity provider maintains them by SCIM 2.0 (RFC 7643, RFC 7644).',
  'scim user': 'Users of a domain as an identity provider maintains them by SCIM 2.0 (RFC 7643, RFC 7644).',
  search: 'Search of administered objects by their names.',
  service:
    'The services (pools and rules) that the caller can start at a site, merged over all of its farms.',
  'service token':
    'Tokens of service accounts, for programs that cannot log in. The value is returned once, at creation.',
  servicespool:
    'Service pools as reported by dispatchers: usage, workplaces, and actions on a pool. A pool is identified by its farm and its UUID.',
  session: 'Workplace sessions of the caller: end one of them.',
  settings: 'The public settings of the sign-in page: branding, languages, links.',
  'sign in': 'The sign-in page and the browser session, which uses a cookie instead of a token.',
  site: 'Sites: locations with farms of their own, addressed by a URI segment such as `north`. Users and administrators are assigned to sites.',
  spsession:
    'Sessions of users on workplaces: user, workplace, protocol and state, and actions such as log-off and disconnect.',
  ssa: 'Calls of the session agent, which runs in a desktop session: heartbeats, messages to the user, log-off requests. The agent authenticates with its own token.',
  status: 'The status page for administrators: sites, farms and nodes.',
  'system parameters':
    'System parameters of the installation: session times, limits, password rules, intervals, languages.',
  tag: 'Tags: labels of domains, portals, service pools and workplaces. Rules select pools by their tags; lists can be filtered by tag.',
  theme: 'The branding of the portal: name, logo, colours and texts.',
  tunnel:
    'Calls of a gateway about a tunnel: exchange a ticket for the destination, report the end and the traffic.',
  webhook:
    'Webhooks: HTTPS addresses that receive signed events when objects change. An event names the object and contains nothing of it.',
  user: 'Users of a domain: built-in accounts with a password, accounts of a directory, and service accounts.',
  'user passkey': 'The passkeys of a user, for administrators: revoke one.',
  'user session': 'Login sessions of the portal: list them, and end one or several.',
  userinfo: 'The account of the caller: profile, permissions, password, second factor, sessions.',
  workplace:
    'Workplaces (virtual desktops): state, user, address, and actions such as start, shutdown and reset.',
};

type Described = { id: string };
type TagGroup = { name: string; tags: string[] };

/**
 * Returns the tag of an operation: the resource, which is the first part of its id, as words (`service token` for
 * `serviceToken`).
 */
export const tagOf = ({ id }: Described): string =>
  (id.split('.')[0] ?? id).replace(/_|(?=[A-Z])/g, ' ').toLowerCase();

/**
 * Returns the tags of each module in alphabetical order. A shared tag belongs to the module with most of its
 * operations.
 */
export function tagGroupsOf(
  modules: readonly { name: string; operations: readonly Described[] }[],
): TagGroup[] {
  const shares = modules.flatMap(({ name, operations }) =>
    [...Map.groupBy(operations, tagOf)].map(([tag, own]) => ({ tag, name, count: own.length })),
  );
  const owners = new Map(shares.sort((a, b) => a.count - b.count).map(({ tag, name }) => [tag, name]));
  const tagsIn = (module: string) => [...owners].flatMap(([tag, owner]) => (owner === module ? [tag] : []));
  return modules.map(({ name }) => ({ name, tags: tagsIn(name).sort() }));
}

/**
 * Returns the tags of all groups with their descriptions.
 * @throws Error for a tag without a description
 */
export const tagsOf = (groups: readonly TagGroup[]): { name: string; description: string }[] =>
  groups.flatMap(({ tags }) =>
    tags.map((name) => {
      const description = tagDescriptions[name];
      if (description === undefined) throw new Error(`The tag "${name}" has no description`);
      return { name, description };
    }),
  );
