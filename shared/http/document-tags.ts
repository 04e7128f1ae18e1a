/** What the operations of a resource are about, by its name in words. */
const resources: Readonly<Record<string, string>> = {
  audit: 'Who did what and when, as a chain of hashes that shows when it was changed',
  authenticator: 'Domains: the sources of users, be it the portal itself or a directory',
  connection: 'What a client program needs to reach a workplace',
  dashboard: 'Figures of the installation, for administrators and for users',
  dispatcher: 'Connection brokers: the nodes of a farm, and what they say of themselves',
  docs: 'This reference: the page and its files',
  domain: 'The domains that somebody may log in to',
  error: 'What problem codes mean, and what to do about them',
  farm: 'Groups of dispatcher nodes that know the same workplaces',
  gateway: 'Ways into the network of a site',
  group: 'Groups of users, and the roles that they give',
  health: 'The state of the installation, and its metrics',
  image: 'Pictures for themes and services',
  jwks: 'The public keys by which others know what we have signed',
  liveness: 'Whether the process answers',
  login: 'Beginning and ending a session',
  'maintenance template': 'How a maintenance window goes: warn, block, end sessions, end',
  module: 'The modules that this portal offers',
  'monitoring record': 'What happened to nodes, farms and sites',
  'node info': 'This node of the portal: version, uptime, dependencies',
  openapi: 'This reference as a document for programs',
  peer: 'Other aggregators whose tokens are accepted',
  pkinit: 'Login by smart card',
  portal: 'The nodes of this portal and their state',
  'priority group': 'Which farms to prefer for whom',
  readiness: 'Whether the process can serve writes',
  role: 'Permissions and the sites that they hold for',
  rule: 'To which farm somebody is led, and why',
  service: 'The services that a user may start, over all farms of a site',
  'service token': 'Tokens of programs, which never log in',
  servicespool: 'Pools of workplaces, as their dispatchers have them',
  settings: 'What a sign-in page must know',
  'sign in': 'The sign-in page and the session of a browser',
  site: 'Places with farms of their own',
  spsession: 'Workplace sessions: who uses which workplace now',
  status: 'The page that shows how sites, farms and nodes are doing',
  'system parameters': 'Limits, times and switches of the whole installation',
  tag: 'Marks on pools and workplaces',
  theme: 'How the portal looks',
  tunnel: 'What goes through a gateway, by the ticket of one connection',
  user: 'Users, be they of the portal itself or seen in a directory',
  userinfo: 'The caller: account, password, second factor, sessions',
  'user session': 'Logins that are open, and their ends',
  workplace: 'Single workplaces: their state, their user, and what can be done with them',
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

/** The tags of all groups, each with its meaning. */
export const tagsOf = (groups: readonly TagGroup[]): { name: string; description: string }[] =>
  groups.flatMap(({ tags }) =>
    tags.map((name) => ({ name, description: resources[name] ?? `Everything about ${name}` })),
  );
