import { z } from 'zod';
import { failure } from '../../failures.ts';
import type { WorkplaceOrders } from '../../orders.ts';
import type { Call } from '../../port.ts';
import type { Answered } from '../../rows.ts';
import { type Broker, read } from '../exchange.ts';
import { fromStatus, refused } from '../faults.ts';
import type { FoundDesktop, Lists } from '../lists/lists.ts';
import { keyOf } from '../node-key.ts';
import type { People } from '../people.ts';

type Answer = Answered<'workplaces'>;

const Pool = z.object({ info: z.object({ can_reset: z.boolean().optional() }).optional() });

/** Orders for desktops. */
export class WorkplaceActions {
  readonly #broker: Broker;
  readonly #lists: Lists;
  readonly #people: People;

  constructor(broker: Broker, lists: Lists, people: People) {
    this.#broker = broker;
    this.#lists = lists;
    this.#people = people;
  }

  async changeWorkplace<V extends keyof WorkplaceOrders>(
    call: Call,
    uuid: string,
    verb: V,
    order: WorkplaceOrders[V],
  ): Promise<Answer> {
    if (verb === 'assign') return this.#assign(call, uuid, order as WorkplaceOrders['assign']);
    if (verb === 'machine' && 'action' in order && order.action === 'reset') return this.#reset(call, uuid);
    throw notSupported(call);
  }

  /** A desktop that is being removed already, or that cannot be removed, is a conflict of states. */
  async deleteWorkplace(call: Call, uuid: string): Promise<Answer> {
    const key = keyOf(call.key);
    const { row, pool, part } = await this.#find(call, uuid);
    const path = ['servicespools', pool, part, uuid];
    const { status } = await this.#broker.ask({ ...call, method: 'DELETE', path, key });
    if (status === 404 || status === 400) throw refused(call.node);
    if (status !== 200) throw fromStatus(call.node, status, key);
    return { ...row, state: 'removing' };
  }

  async #find(call: Call, uuid: string): Promise<FoundDesktop> {
    const found = await this.#lists.desktop(call, uuid);
    if (!found) throw failure('not_found', call.node);
    return found;
  }

  async #assign(call: Call, uuid: string, order: WorkplaceOrders['assign']): Promise<Answer> {
    if (order.user === null) throw notSupported(call);
    const key = keyOf(call.key);
    const person = await this.#people.idOf(call, key, { domain: order.domain, user: order.user });
    if (!person) throw refused(call.node, 'unknown_user');
    const { pool, part } = await this.#find(call, uuid);
    // Version 4.0 would store the owner and leave the desktop in the cache.
    if (part === 'cache') throw refused(call.node);
    const body = { auth_id: person.authenticator, user_id: person.id };
    const path = ['servicespools', pool, 'services', uuid];
    const { status } = await this.#broker.ask({ ...call, method: 'PUT', path, body, key });
    // The desktop and the user exist, so this is the answer to a user who has a desktop of the pool.
    if (status === 500 || status === 400 || status === 404) throw refused(call.node);
    if (status !== 200) throw fromStatus(call.node, status, key);
    return (await this.#find(call, uuid)).row;
  }

  /**
   * Where the service cannot reset machines, as those that are static, the broker would accept the order without an effect.
   * Desktops of the cache are reset by the same path: below `cache` there is no reset, and the answer would be the same.
   */
  async #reset(call: Call, uuid: string): Promise<Answer> {
    const key = keyOf(call.key);
    const { actionMethod: method, resetStatuses } = await this.#broker.dialect(call);
    const { row, pool } = await this.#find(call, uuid);
    const { info } = await read(
      this.#broker,
      { ...call, method: 'GET', path: ['servicespools', pool], key },
      Pool,
    );
    if (info?.can_reset === false) throw notSupported(call);
    const path = ['servicespools', pool, 'services', uuid, 'reset'];
    const { status } = await this.#broker.ask({ ...call, method, path, key });
    if (!resetStatuses.includes(status)) throw fromStatus(call.node, status, key);
    return row;
  }
}

/** The second line: the portal does not send such an order, because the kind has no capability for it. */
export const notSupported = ({ node }: Call) => refused(node, 'not_supported_by_dispatcher');
