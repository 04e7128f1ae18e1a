import type { Desktop, Pool } from '../state.ts';
import { type Ask, crashed, fault, missing, ok } from '../wire.ts';
import { administrators, poolRow } from './lists.ts';

const members36 = [
  ...['name', 'short_name', 'comments', 'tags', 'service_id', 'osmanager_id', 'image_id', 'pool_group_id'],
  ...['initial_srvs', 'cache_l1_srvs', 'cache_l2_srvs', 'max_srvs', 'show_transports', 'visible'],
  ...['allow_users_remove', 'allow_users_reset', 'ignores_unused', 'account_id', 'calendar_message'],
];
const members40 = [...members36, 'custom_message', 'display_custom_message'];
const counts = ['initial_srvs', 'cache_l1_srvs', 'cache_l2_srvs', 'max_srvs'];
/** Members that a change does not store. */
const fixed = ['service_id', 'osmanager_id'];

const poolOf = ({ state }: Ask, id: string | undefined): Pool | undefined =>
  state.pools.find((one) => one.id === id);

export const savePool = administrators((ask, id) => {
  const pool = poolOf(ask, id);
  if (!pool) return missing(ask);
  const needed = ask.mode === '3.6' ? members36 : members40;
  const absent = needed.find((name) => !Object.hasOwn(ask.body, name));
  if (absent) return fault(ask, 400, `needed parameter not found in data '${absent}'`);
  for (const name of needed.filter((one) => !fixed.includes(one))) {
    const value = ask.body[name];
    const isNone = value === '-1' || value === null;
    pool.members[name] = !pool.usesCache && counts.includes(name) ? 0 : isNone ? null : value;
  }
  return ok(poolRow(ask, pool));
}, 'admin');

/** Any word is stored. */
export const setAccess = administrators((ask, id) => {
  const pool = poolOf(ask, id);
  if (!pool) return missing(ask);
  const name = ask.mode === '5.0' ? 'fallback_access' : 'fallbackAccess';
  const word = ask.mode === '5.0' ? ask.body[name] : ask.query.get(name);
  if (word) pool.members.fallbackAccess = word;
  return ok(pool.members.fallbackAccess);
}, 'admin');

/** Every request changes the mode to the other one. */
export const toggleProvider = administrators(({ state }, id) => {
  const provider = state.providers.find((one) => one.id === id);
  if (!provider) return { status: 404, body: 'Item not found' };
  provider.maintenance = !provider.maintenance;
  return ok({ id: provider.id, name: provider.name, maintenance_mode: provider.maintenance });
}, 'admin');

const desktopOf = ({ state }: Ask, pool: string | undefined, id: string | undefined): Desktop | undefined =>
  state.desktops.find((one) => one.id === id && one.pool === pool);

export const assign = administrators((ask, pool, id) => {
  const desktop = desktopOf(ask, pool, id);
  const { state, body } = ask;
  if (!desktop) return crashed(ask, 'UserService matching query does not exist.');
  // The name of the former owner goes into the log.
  if (ask.mode === '3.6' && !desktop.owner) return crashed(ask, "'NoneType' object has no attribute");
  if (!body.user_id) return fault(ask, 400, 'Invalid parameters');
  const user = state.users.find((one) => one.id === body.user_id && one.authenticator === body.auth_id);
  if (!user) return crashed(ask, 'User matching query does not exist.');
  const other = state.desktops.find(
    (one) => one.pool === pool && one.owner === user.id && one.id !== id && one.state !== 'S',
  );
  if (other) return crashed(ask, `There is already another user service assigned to ${user.name}`);
  desktop.owner = user.id;
  return ok(ask.mode === '3.6' ? '' : { id });
}, 'admin');

/** A removed desktop stays in the list. */
export const remove = administrators((ask, pool, id) => {
  const desktop = desktopOf(ask, pool, id);
  if (!desktop) return missing(ask);
  const conflict = ask.mode === '5.0' ? 400 : 404;
  if (['R', 'S'].includes(desktop.state)) return fault(ask, conflict, 'Item already being removed');
  if (desktop.state === 'E') return fault(ask, conflict, 'Item is not removable');
  desktop.state = 'R';
  return ok('ok');
}, 'admin');

/** Desktops of the cache have no such method. */
export const noReset = administrators((ask) =>
  ask.mode === '5.0' ? missing(ask) : fault(ask, 400, 'Fallback invoked'),
);

/** Does its work, and answers as if there were no such method before version 5.0. */
export const reset = administrators((ask, pool, id) => {
  const desktop = desktopOf(ask, pool, id);
  if (!desktop) return crashed(ask, 'UserService matching query does not exist.');
  if (poolOf(ask, pool)?.canReset) desktop.osState = 'P';
  return ask.mode === '5.0' ? ok({ result: 'ok' }) : fault(ask, 400, 'Fallback invoked');
}, 'admin');

/** The broker does not find a single desktop before version 5.0, although it exists. */
export const oneDesktop = administrators((ask, pool, id) => {
  const desktop = desktopOf(ask, pool, id);
  return desktop && ask.mode === '5.0' ? ok({ id: desktop.id, state: desktop.state }) : missing(ask);
});
