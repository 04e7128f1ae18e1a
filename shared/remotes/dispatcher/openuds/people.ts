import { z } from 'zod';
import type { Domain } from '../connections.ts';
import { failure } from '../failures.ts';
import type { Destination, DispatcherPrincipal, Node, OwnKey } from '../port.ts';
import { personRefused } from '../refusals.ts';
import { type Broker, createMemory, read, viewOf } from './exchange.ts';
import { type User, Users } from './lists/users.ts';
import { isFresh, keyOf, type NodeKey } from './node-key.ts';

/** A user as the broker has it. */
export type Person = { authenticator: string; id: string; name: string; groups: string[] };
/** The user of a ticket. `id` is null for a user that the ticket creates. */
export type TicketUser = Omit<Person, 'id'> & { id: string | null };

const name = z.string().min(1).max(512);
const Authenticators = z
  .array(z.object({ authId: z.guid(), authSmallName: z.string().max(64), auth: z.string().max(256) }))
  .max(1000);
const Groups = z.array(z.object({ id: z.guid(), name, type: z.string() })).max(10_000);

const longListBytes = 8 * 1024 * 1024;

/** Authenticators, users and groups of brokers. Authenticators and groups are remembered for a few minutes. */
export class People {
  readonly #broker: Broker;
  readonly #authenticators = createMemory<Domain[]>();
  readonly #groups = createMemory<Map<string, string>>();
  readonly #users: Users;

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#users = new Users(broker);
  }

  async domains(to: Destination): Promise<Domain[]> {
    const question = { ...to, method: 'GET', path: ['auth', 'auths'], query: { all: 'true' } } as const;
    const rows = await read(this.#broker, question, Authenticators);
    const found = rows.map(({ authId, authSmallName, auth }) => ({ authUuid: authId, authSmallName, auth }));
    this.#authenticators.set(viewOf(to.node), found);
    return found;
  }

  /** The id of the user with this label and name. Undefined if the broker does not have the user. */
  async idOf(to: Destination, own: NodeKey, { domain, user }: { domain: string; user: string }) {
    const at = nameOn(to.node, { domain, name: user });
    const authenticator = await this.#authenticatorOf(to, at.domain);
    const found = authenticator && (await this.#users.named(to, own, authenticator, at.name));
    return authenticator && found ? { authenticator, id: found.id } : undefined;
  }

  /**
   * Finds the user of a principal. A known user keeps the groups of the broker, because a ticket replaces them. What does
   * not depend on each other is read at the same time.
   * @throws AppError `not_known_here` for a user that the broker does not have and may not get, for an inactive user or
   *   one without groups, and for staff and administrators, whose keys would have their rights
   */
  async find(
    to: Destination,
    own: NodeKey,
    user: NonNullable<DispatcherPrincipal['user']>,
  ): Promise<TicketUser> {
    const at = nameOn(to.node, user);
    const [authenticator] = await Promise.all([
      this.#authenticatorOf(to, at.domain),
      this.#broker.dialect(to),
    ]);
    if (authenticator === undefined) throw personRefused(to.node, 'domain_not_linked');
    const [found, groupNames] = await Promise.all([
      this.#users.named(to, own, authenticator, at.name),
      this.#groupNames(to, own, authenticator),
    ]);
    if (found) return this.#personOf(to, own, authenticator, found);
    const mayCreate =
      to.node.identity?.createsUsers && (await this.#users.isFree(to, own, authenticator, at.name));
    if (!mayCreate) throw personRefused(to.node, 'unknown');
    const known = new Set(groupNames.values());
    const groups = user.groups.filter((group) => known.has(group));
    if (groups.length === 0) throw personRefused(to.node, 'no_groups');
    return { authenticator, id: null, name: at.name, groups };
  }

  /**
   * The user of a ticket as the broker has it now. A ticket only names its user: the broker may compare names by other
   * rules, and may have got another user with the name since it was read.
   * @throws AppError `not_known_here` if the ticket may be redeemed for another user, and as `find`
   */
  async current(to: Destination, own: NodeKey, { authenticator, id, name }: TicketUser): Promise<Person> {
    const user =
      id === null
        ? await this.#users.named(to, own, authenticator, name)
        : await this.#users.byId(to, own, authenticator, id);
    if (user?.name !== name) throw personRefused(to.node, 'unknown');
    return this.#personOf(to, own, authenticator, user);
  }

  /**
   * Asserts that the label of an account does not stand for several domains, of which the broker takes any.
   * @throws AppError `upstream_refused` with the reason `ambiguous_domain`
   */
  async assertOneDomain(to: Destination, label: string): Promise<void> {
    const known = this.#authenticators.get(viewOf(to.node)) ?? (await this.domains(to));
    if (alikeIn(known, label).length > 1)
      throw failure('upstream_refused', to.node, { reason: 'ambiguous_domain' });
  }

  /**
   * Labels are not unique on the broker.
   * @returns undefined if none has the label. @throws AppError `upstream_refused` for several
   */
  async #authenticatorOf(to: Destination, label: string): Promise<string | undefined> {
    const known = this.#authenticators.get(viewOf(to.node)) ?? (await this.domains(to));
    const found = alikeIn(known, label);
    if (found.length > 1) throw failure('upstream_refused', to.node, { reason: 'ambiguous_domain' });
    return found[0]?.authUuid;
  }

  async #groupNames(to: Destination, own: NodeKey, authenticator: string): Promise<Map<string, string>> {
    const place = `${viewOf(to.node)} ${authenticator}`;
    const known = this.#groups.get(place);
    if (known) return known;
    const path = ['authenticators', authenticator, 'groups'];
    const question = { ...to, method: 'GET', path, key: own, maxBytes: longListBytes } as const;
    const rows = await read(this.#broker, question, Groups);
    // A meta group follows from its members, and a ticket accepts only plain groups.
    const plain = rows.filter(({ type }) => type === 'group');
    const names = new Map(plain.map((group) => [group.id, group.name]));
    this.#groups.set(place, names);
    return names;
  }

  /** A user with its plain groups. @throws AppError `not_known_here` */
  async #personOf(to: Destination, own: NodeKey, authenticator: string, user: User): Promise<Person> {
    if (user.staff_member || user.is_admin) throw personRefused(to.node, 'privileged_account');
    if (user.state !== 'A') throw personRefused(to.node, 'inactive');
    let names = await this.#groupNames(to, own, authenticator);
    if (user.groups.some((group) => !names.has(group))) {
      // The list may have a new group; a meta group is never in it.
      this.#groups.delete(`${viewOf(to.node)} ${authenticator}`);
      names = await this.#groupNames(to, own, authenticator);
    }
    const groups = user.groups.flatMap((group) => names.get(group) ?? []);
    // The broker accepts no ticket without a group.
    if (groups.length === 0) throw personRefused(to.node, 'no_groups');
    return { authenticator, id: user.id, name: user.name, groups };
  }
}

/** The domains with exactly this label; without one, those whose labels differ by case. */
function alikeIn(known: readonly Domain[], label: string): readonly Domain[] {
  const exact = known.filter(({ authSmallName }) => authSmallName === label);
  if (exact.length > 0) return exact;
  return known.filter(({ authSmallName }) => authSmallName.toLowerCase() === label.toLowerCase());
}

/** The label and login name that a user of the portal has on the nodes of the farm. */
function nameOn({ identity }: Node, { domain, name: login }: { domain: string; name: string }) {
  const mapped = identity?.domains.find(({ label }) => label.toLowerCase() === domain.toLowerCase());
  if (!mapped) return { domain, name: login };
  const forms = {
    unchanged: login,
    lower_case: login.toLowerCase(),
    without_suffix: login.replace(/@.*$/s, ''),
  };
  return { domain: mapped.nodeLabel, name: forms[mapped.userNames] };
}

/**
 * Runs a request with the key of the portal. A key that is refused is replaced once.
 * @throws AppError as the request
 */
export async function withOwnKey<T>(
  ownKey: OwnKey,
  isRefused: (error: unknown) => boolean,
  work: (own: NodeKey) => Promise<T>,
): Promise<T> {
  const first = await ownKey();
  try {
    return await work(keyOf(first));
  } catch (error) {
    if (!isRefused(error) || isFresh(keyOf(first))) throw error;
    return work(keyOf(await ownKey(first)));
  }
}
