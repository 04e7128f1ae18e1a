/** The description of each tag: what the resource is, how it is identified, and what it belongs to. */
const resources: Readonly<Record<string, string>> = {
  agent:
    'Calls of the agent (OpenUDS actor) in a virtual machine: registration, start, logins and logouts of users, log lines. They carry the token of the agent in the body, not a session.',
  audit:
    'The audit journal: one event for each login and each write, linked by SHA-256 hashes. Search it, verify the chain, and export it as a file.',
  authenticator:
    'Authentication domains: the built-in one and directories (LDAP, Active Directory, FreeIPA). A domain owns its users and groups. Each type describes its own parameters.',
  connection:
    'Connection parameters of a workplace for a client program: checks before connecting, host, port and one-time credentials, `.rdp` and `.vv` files, reconnection to an open session.',
  dashboard: 'Summary figures: for administrators over all sites in their scope, for users over one site.',
  dispatcher:
    'Dispatcher nodes (connection brokers). A node belongs to a farm, has an HTTPS address and a state that health probes report.',
  docs: 'The interactive reference in a browser: the page and its files.',
  domain: 'The authentication domains that a sign-in form offers. It is readable without a session.',
  error: 'Explanations of problem codes: the meaning, usual causes, and what to do.',
  farm: 'Farms: groups of dispatcher nodes that serve the same pools and workplaces. A farm belongs to a site; calls are balanced over its nodes.',
  gateway:
    'Gateways: tunnel servers through which clients outside reach the network of a site. A gateway authenticates with its own token and reports heartbeats.',
  group:
    'Groups of a domain and the roles that they give to members. Meta groups combine other groups of the same domain.',
  health:
    'Health check and metrics of the installation. They are served by the health port, with an access key in the place of a session.',
  image: 'Pictures of services, transports and themes, as PNG, WebP or SVG of at most 256 KiB.',
  jwks: 'The public keys (JSON Web Key Set) that verify the tokens which this portal signs for dispatchers and peers.',
  liveness: 'A check for supervisors: the process answers.',
  login:
    'Start and end a session: by password, by password and one-time code, by a signed token. The answer contains the token for `X-Auth-Token`.',
  'maintenance template':
    'Templates of maintenance windows: when to warn users, block new sessions, end sessions, and the messages that users see.',
  module: 'The API modules that this portal serves, with their base paths and versions.',
  'monitoring record':
    'The monitoring journal: changes of state of nodes, farms and sites, with their time and cause.',
  'node info': 'The process that answers: version, runtime, uptime, and the state of its dependencies.',
  openapi: 'This OpenAPI document as JSON and as YAML.',
  peer: 'Peer aggregators: other installations whose signed tokens are accepted, identified by issuer and public keys.',
  pkinit:
    'Login by smart card: the challenge that the card signs (PKINIT, RFC 4556), and the exchange of the signature for a session.',
  portal: 'The portal nodes of the installation, registered by their heartbeats, with version and state.',
  'priority group':
    'Priority groups: an order of farms for members of chosen groups. Rules use it to select a farm.',
  readiness: 'A check for load balancers: the process can serve writes.',
  role: 'Roles: a set of permissions and the sites that they hold for. A user has the roles assigned to the account and to its groups.',
  rule: 'Rules (merged resource sets): one service over pools of several farms of a site, with the order in which farms are tried. `explain` shows each step of a decision.',
  service:
    'The services (pools and rules) that the caller can start at a site, merged over all of its farms.',
  'service token':
    'Tokens of service accounts, for programs that cannot log in. The value is shown once, at creation.',
  servicespool:
    'Service pools as dispatchers report them: usage, workplaces, actions on the pool. Identified by farm and pool UUID.',
  settings: 'The public settings of the sign-in page: branding, languages, links.',
  'sign in': 'The sign-in page and the browser session: a cookie in the place of a token.',
  site: 'Sites: locations with farms of their own, addressed by a URI segment such as `north`. Users and administrators are assigned to sites.',
  spsession:
    'Sessions on workplaces: the user, the workplace, the protocol and the state, and actions such as log-off and messages.',
  ssa: 'Calls of the session agent, which runs in a desktop session: ping, messages to the user, the log-off order. They carry the token of the session agent.',
  status: 'The status page for administrators: sites, farms and nodes.',
  'system parameters':
    'System parameters of the installation: session times, limits, password rules, intervals, languages.',
  tag: 'Tags: labels on service pools and workplaces, by which rules and searches select them.',
  theme: 'The appearance of the portal: name, logo, colours, texts.',
  tunnel:
    'Calls of a gateway about one tunnel: exchange a ticket for the destination, report the end and the traffic.',
  user: 'Users of a domain: built-in accounts with a password, accounts of a directory, and service accounts.',
  'user session': 'Login sessions of the portal: list them, and end one or several.',
  userinfo: 'The account of the caller: profile, permissions, password, second factor, sessions.',
  workplace:
    'Workplaces (virtual desktops): state, user, address, and actions such as start, shutdown and reset.',
};

type Described = { id: string };
type TagGroup = { name: string; tags: string[] };

/** An operation is listed once, with its resource: the first half of its id in words, `service token` of `serviceToken`. */
export const tagOf = ({ id }: Described): string =>
  (id.split('.')[0] ?? id).replace(/_|(?=[A-Z])/g, ' ').toLowerCase();

/** The tags of each module in order; one that several have belongs to that with the most of its operations. */
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

/** The tags of all groups, each with its description. @throws Error for a tag without one */
export const tagsOf = (groups: readonly TagGroup[]): { name: string; description: string }[] =>
  groups.flatMap(({ tags }) =>
    tags.map((name) => {
      const description = resources[name];
      if (description === undefined) throw new Error(`The tag "${name}" has no description`);
      return { name, description };
    }),
  );
