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

  /** The user with exactly this name: the broker distinguishes names by case, but its filters do not. */
  async named(
    to: Destination,
    own: NodeKey,
    authenticator: string,
    login: string,
  ): Promise<User | undefined> {
    const { userFilter } = await this.#broker.dialect(to);
    const query = filters[userFilter](login);
    if (query) {
      const id = await this.#filtered(to, own, authenticator, login, query);
      return id === undefined ? undefined : this.byId(to, own, authenticator, id);
    }
    const place = `${viewOf(to.node)} ${authenticator}`;
    const known = this.#names.get(place)?.get(login);
    const found = known === undefined ? undefined : await this.#ifPresent(to, own, authenticator, known);
    if (found?.name === login) return found;
    const names = await this.#readNames(to, own, authenticator);
    this.#names.set(place, names);
    const id = names.get(login);
    return id === undefined ? undefined : this.byId(to, own, authenticator, id);
  }

  async byId(to: Destination, own: NodeKey, authenticator: string, id: string): Promise<User> {
    const path = ['authenticators', authenticator, 'users', id];
    return read(this.#broker, { ...to, method: 'GET', path, key: own }, User);
  }

  async #filtered(
    to: Destination,
    own: NodeKey,
    authenticator: string,
    login: string,
    query: Record<string, string>,
  ): Promise<string | undefined> {
    const path = ['authenticators', authenticator, 'users'];
    const rows = await read(this.#broker, { ...to, method: 'GET', path, query, key: own }, Rows);
    return rows.find((user) => user.name === login)?.id;
  }

  /** The ids of all users by their names. */
  async #readNames(to: Destination, own: NodeKey, authenticator: string): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    const path = ['authenticators', authenticator, 'users'];
    await this.#rows.read(to, own, path, Row, (row) => names.set(row.name ?? '', row.id));
    return names;
  }

  async #ifPresent(
    to: Destination,
    own: NodeKey,
    authenticator: string,
    id: string,
  ): Promise<User | undefined> {
    try {
      return await this.byId(to, own, authenticator, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

type Filter = (login: string) => Record<string, string> | undefined;

/** Filters of the versions. Undefined if the name cannot be asked for. */
const filters: Record<'pattern' | 'odata' | 'none', Filter> = {
  // Characters with a meaning become `?`.
  pattern: (login) => ({ filter: `name=${login.replace(/[*?[\]^$&=\\]/g, '?')}` }),
  odata: (login) => (/['"\\\p{Cc}]/u.test(login) ? undefined : { $filter: `name eq '${login}'` }),
  none: () => undefined,
};
