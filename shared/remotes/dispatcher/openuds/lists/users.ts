import { z } from 'zod';
import { AppError } from '../../../../kernel/errors.ts';
import type { Destination } from '../../port.ts';
import { type Broker, createMemory, read, viewOf } from '../exchange.ts';
import type { NodeKey } from '../node-key.ts';
import { RowSource } from './row-source.ts';

const name = z.string().min(1).max(512);
const Row = z.object({ id: z.guid(), name });
const Rows = z.array(Row).max(1_000);
const User = Row.extend({
  state: z.string(),
  staff_member: z.boolean(),
  is_admin: z.boolean(),
  groups: z.array(z.string()).max(10_000),
});
export type User = z.output<typeof User>;

/**
 * Users of brokers, by name. Version 4.0 cannot reduce a list of users to a name, so there all names are read, and
 * remembered for a few minutes. What decides about rights is read for each user, every time.
 */
export class Users {
  readonly #broker: Broker;
  readonly #rows: RowSource;
  readonly #names = createMemory<Map<string, string>>();

  constructor(broker: Broker) {
    this.#broker = broker;
    this.#rows = new RowSource(broker);
  }

  /**
   * The user that a login name means: the one with exactly this name. Without one, the only user whose name differs by
   * case, because the broker itself accepts such a login.
   */
  async named(
    to: Destination,
    own: NodeKey,
    authenticator: string,
    login: string,
  ): Promise<User | undefined> {
    const { userFilter } = await this.#broker.dialect(to);
    const query = filters[userFilter](login);
    if (query) {
      const path = ['authenticators', authenticator, 'users'];
      const rows = await read(this.#broker, { ...to, method: 'GET', path, query, key: own }, Rows);
      return this.#meant(to, own, authenticator, login, rows);
    }
    const known = this.#names.get(`${viewOf(to.node)} ${authenticator}`)?.get(login);
    const found = known === undefined ? undefined : await this.byId(to, own, authenticator, known);
    if (found?.name === login) return found;
    const names = await this.#readNames(to, own, authenticator);
    const rows = [...names].map(([name, id]) => ({ id, name }));
    return this.#meant(to, own, authenticator, login, rows);
  }

  /**
   * True if no user has a name that a database could take for this one. Many databases ignore case, accents and spaces
   * at the end, and then a ticket for a new name signs in as the user of the other one.
   */
  async isFree(to: Destination, own: NodeKey, authenticator: string, login: string): Promise<boolean> {
    const names = await this.#readNames(to, own, authenticator);
    const wanted = collated(login);
    return ![...names.keys()].some((name) => collated(name) === wanted);
  }

  /** @returns undefined if the broker does not have the user */
  async byId(to: Destination, own: NodeKey, authenticator: string, id: string): Promise<User | undefined> {
    const path = ['authenticators', authenticator, 'users', id];
    try {
      return await read(this.#broker, { ...to, method: 'GET', path, key: own }, User);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async #meant(
    to: Destination,
    own: NodeKey,
    authenticator: string,
    login: string,
    rows: readonly { id: string; name: string }[],
  ): Promise<User | undefined> {
    const alike = rows.filter(({ name }) => name.toLowerCase() === login.toLowerCase());
    const found = alike.find(({ name }) => name === login) ?? (alike.length === 1 ? alike[0] : undefined);
    return found && this.byId(to, own, authenticator, found.id);
  }

  /** The ids of all users by their names. */
  async #readNames(to: Destination, own: NodeKey, authenticator: string): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    const path = ['authenticators', authenticator, 'users'];
    await this.#rows.read(to, own, path, Row, (row) => names.set(row.name ?? '', row.id));
    this.#names.set(`${viewOf(to.node)} ${authenticator}`, names);
    return names;
  }
}

/** The form in which most collations of databases compare names. */
const collated = (name: string): string =>
  name.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase().trim();

type Filter = (login: string) => Record<string, string> | undefined;

/** Filters of the versions. Undefined if the name cannot be asked for. */
const filters: Record<'pattern' | 'odata' | 'none', Filter> = {
  // Characters with a meaning become `?`.
  pattern: (login) => ({ filter: `name=${login.replace(/[*?[\]^$&=\\]/g, '?')}` }),
  odata: (login) => (/['"\\\p{Cc}]/u.test(login) ? undefined : { $filter: `name eq '${login}'` }),
  none: () => undefined,
};
