import { z } from 'zod';
import { badAnswer, failure } from '../../failures.ts';
import type { MaintenanceOrder, PoolOrder } from '../../orders.ts';
import type { Call } from '../../port.ts';
import type { Answered } from '../../rows.ts';
import { type Broker, read } from '../exchange.ts';
import { fromStatus, refused } from '../faults.ts';
import type { Lists } from '../lists/lists.ts';
import { keyOf } from '../node-key.ts';

/** Members that each change of a pool must send. `-1` stands for none. */
const settings = [
  ...['name', 'short_name', 'comments', 'visible', 'tags', 'calendar_message', 'service_id'],
  ...['initial_srvs', 'cache_l1_srvs', 'cache_l2_srvs', 'max_srvs', 'show_transports'],
  ...['allow_users_remove', 'allow_users_reset', 'ignores_unused'],
];
const references = ['osmanager_id', 'image_id', 'pool_group_id', 'account_id'];
const none = '-1';

const Pool = z.record(z.string(), z.unknown());
const Rules = z.array(z.unknown());

/** Orders for pools. */
export class PoolActions {
  readonly #broker: Broker;
  readonly #lists: Lists;

  constructor(broker: Broker, lists: Lists) {
    this.#broker = broker;
    this.#lists = lists;
  }

  async updatePool(
    call: Call,
    uuid: string,
    order: PoolOrder,
    seen: PoolOrder = {},
  ): Promise<Answered<'servicespools'>> {
    await this.#save(call, uuid, order, seen);
    return this.#readAgain(call, uuid);
  }

  /**
   * Closes or opens the access to the pool. Calendars of a pool have precedence over this setting, so a pool with access
   * rules cannot be closed by it. The message is shown to users while the pool is closed.
   */
  async maintainPool(
    call: Call,
    uuid: string,
    { maintenance, message }: MaintenanceOrder,
  ): Promise<Answered<'servicespools'>> {
    if (maintenance) {
      await this.#assertWithoutRules(call, uuid);
      await this.#save(call, uuid, { calendar_message: message?.slice(0, 256) ?? '' });
    }
    await this.#setAccess(call, uuid, maintenance ? 'DENY' : 'ALLOW');
    if (!maintenance) await this.#save(call, uuid, { calendar_message: '' });
    const row = await this.#readAgain(call, uuid);
    if (row.maintenance !== maintenance) throw badAnswer(call.node, 'wrong_shape');
    return row;
  }

  /** Sends all members of the pool: the broker has no partial change. */
  async #save(
    call: Call,
    uuid: string,
    change: Record<string, unknown>,
    seen: Record<string, unknown> = {},
  ): Promise<void> {
    const key = keyOf(call.key);
    const { poolMembers } = await this.#broker.dialect(call);
    const path = ['servicespools', uuid];
    const stored = await read(this.#broker, { ...call, method: 'GET', path, key }, Pool);
    if (isChanged(stored, seen)) throw refused(call.node, 'changed_meanwhile');
    const members = [...settings, ...poolMembers].map((name) => [name, stored[name] ?? '']);
    const ids = references.map((name) => [name, stored[name] || none]);
    const body = { ...Object.fromEntries([...members, ...ids]), ...change };
    const { status } = await this.#broker.ask({ ...call, method: 'PUT', path, body, key });
    if (status === 400) throw refused(call.node);
    if (status !== 200) throw fromStatus(call.node, status, key);
  }

  async #assertWithoutRules(call: Call, uuid: string): Promise<void> {
    const path = ['servicespools', uuid, 'access'];
    const rules = await read(this.#broker, { ...call, method: 'GET', path, key: keyOf(call.key) }, Rules);
    if (rules.length > 0) throw refused(call.node, 'access_rules');
  }

  async #setAccess(call: Call, uuid: string, access: 'ALLOW' | 'DENY'): Promise<void> {
    const key = keyOf(call.key);
    const { names, actionMethod: method } = await this.#broker.dialect(call);
    const values = { [names.fallbackAccess]: access };
    const path = ['servicespools', uuid, names.setFallbackAccess];
    const sent = method === 'POST' ? { body: values } : { query: values };
    const { status } = await this.#broker.ask({ ...call, method, path, key, ...sent });
    if (status !== 200) throw fromStatus(call.node, status, key);
  }

  async #readAgain(call: Call, uuid: string): Promise<Answered<'servicespools'>> {
    const found = await this.#lists.pool(call, uuid);
    if (!found) throw failure('not_found', call.node);
    return found;
  }
}

/** True if the pool has other settings than the caller has seen. The order of tags has no meaning. */
const isChanged = (stored: Record<string, unknown>, seen: Record<string, unknown>): boolean =>
  Object.entries(seen).some(
    ([name, value]) => value !== null && value !== undefined && textOf(stored[name]) !== textOf(value),
  );

const textOf = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? [...value].sort() : (value ?? ''));
