import { z } from 'zod';
import type { Policy, PolicyValue } from '../../orders.ts';
import type { Call } from '../../port.ts';
import { type Broker, read } from '../exchange.ts';
import type { Deliveries } from '../lists/transports.ts';
import { keyOf } from '../node-key.ts';

const Settings = z.record(z.string(), z.unknown());
const Pool = z.object({ osmanager_id: z.string().nullish() });

/** Members that describe the object itself. */
const ownMembers = new Set([
  ...['id', 'name', 'tags', 'comments', 'type', 'type_name', 'permission', 'pools', 'networks', 'label'],
  ...['pools_count', 'deployed_count', 'nets_positive', 'allowed_oss', 'priority', 'servicesTypes'],
  ...['services_types', 'protocol', 'instance', 'icon'],
]);
const mostPolicies = 200;
/** Settings that are secrets of the broker. */
const isSecret = (name: string): boolean => /pass|secret|token|credential|key/i.test(name);

/** The settings that apply to desktops of a pool: those of its operating system and of its transports. */
export async function policies(
  broker: Broker,
  deliveries: Deliveries,
  call: Call,
  pool: string,
): Promise<Policy[]> {
  const key = keyOf(call.key);
  const question = { ...call, method: 'GET', key } as const;
  const { osmanager_id: manager } = await read(broker, { ...question, path: ['servicespools', pool] }, Pool);
  const found: Policy[] = [];
  if (manager) {
    const settings = await read(broker, { ...question, path: ['osmanagers', manager] }, Settings);
    found.push(...policiesOf(settings, 'os'));
  }
  for (const { id, pools } of (await deliveries.all(call, key)).values())
    if (pools.includes(pool.toLowerCase()))
      found.push(...policiesOf(await deliveries.settingsOf(call, key, id), 'transport'));
  return found.slice(0, mostPolicies);
}

function policiesOf(settings: Record<string, unknown>, kind: string): Policy[] {
  const group = typeof settings.name === 'string' ? settings.name.slice(0, 128) : kind;
  const id = typeof settings.id === 'string' ? settings.id : group;
  return Object.entries(settings).flatMap(([name, value]) => {
    if (ownMembers.has(name) || isSecret(name) || !isValue(value)) return [];
    return [
      {
        ...{ key: `${kind}.${id}.${name}`, name, group, value, default: null },
        ...{ type: Array.isArray(value) ? 'list' : typeof value, inherited: true },
      },
    ];
  });
}

const isValue = (value: unknown): value is PolicyValue =>
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= 1_024) ||
  (Array.isArray(value) && value.length <= 100 && value.every((one) => typeof one === 'string'));
