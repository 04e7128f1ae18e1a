import { type ModuleFacts, modules } from '../modules.ts';

/** What the operations of a resource are about, by the first half of their ids. */
const resources: Readonly<Record<string, string>> = {
  audit: 'Who did what and when, as a chain of hashes that shows when it was changed',
  authenticator: 'Domains: the sources of users, be it the portal itself or a directory',
  connection: 'What a client program needs to reach a workplace',
  dashboard: 'Figures of the installation, for administrators and for users',
  dispatcher: 'Connection brokers: the nodes of a farm, and what they say of themselves',
  docs: 'This reference: the page, its files, and the document',
  domain: 'The domains that somebody may log in to',
  error: 'What problem codes mean, and what to do about them',
  farm: 'Groups of dispatcher nodes that know the same workplaces',
  gateway: 'Ways into the network of a site',
  group: 'Groups of users, and the roles that they give',
  image: 'Pictures for themes and services',
  jwks: 'The public keys by which others know what we have signed',
  liveness: 'Whether this node can serve',
  login: 'Beginning and ending a session',
  maintenance_template: 'How a maintenance window goes: warn, block, end sessions, end',
  module: 'The modules that this portal offers',
  monitoring_record: 'What happened to nodes, farms and sites',
  nodeInfo: 'What a workplace may be asked about',
  peer: 'Other aggregators whose tokens are accepted',
  pkinit: 'Login by smart card',
  portal: 'The nodes of this portal and their state',
  priority_group: 'Which groups of users are served first',
  role: 'Permissions and the sites that they hold for',
  rule: 'To which farm somebody is led, and why',
  service: 'The services that a user may start, over all farms of a site',
  serviceToken: 'Tokens of programs, which never log in',
  servicespool: 'Pools of workplaces, as their dispatchers have them',
  settings: 'What a sign-in page must know',
  site: 'Places with farms of their own',
  spsession: 'Workplace sessions: who uses which workplace now',
  systemParameters: 'Limits, times and switches of the whole installation',
  tag: 'Marks on pools and workplaces',
  theme: 'How the portal looks',
  tunnel: 'What goes through a gateway, by the ticket of one connection',
  user: 'Users, be they of the portal itself or seen in a directory',
  userSession: 'Logins that are open, and their ends',
  workplace: 'Single workplaces: their state, their user, and what can be done with them',
};

type Tagged = { tags: readonly string[] };

/** The tags in use, each with its meaning: first the modules, then the resources. */
export function tagsOf(routes: readonly Tagged[]): { name: string; description: string }[] {
  const used = [...new Set(routes.flatMap(({ tags }) => tags))].sort();
  const facts = (tag: string): ModuleFacts | undefined => modules.find(({ name }) => name === tag);
  return [
    ...used.flatMap((tag) => facts(tag) ?? []).map(({ name, purpose }) => ({ name, description: purpose })),
    ...used
      .filter((tag) => !facts(tag))
      .map((name) => ({ name, description: resources[name] ?? `Everything about ${wordsOf(name)}` })),
  ];
}

/** `serviceToken` and `service_token` are both a service token. */
const wordsOf = (tag: string): string => tag.replace(/_|(?=[A-Z])/g, ' ').toLowerCase();
