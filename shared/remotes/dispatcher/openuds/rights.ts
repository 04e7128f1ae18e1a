import type { AccountRight, Call } from '../port.ts';
import type { Broker } from './exchange.ts';
import { fromStatus } from './faults.ts';
import { keyOf } from './node-key.ts';

/**
 * What the account of the portal may do. A list that staff may read is refused to addresses that are not trusted, and
 * the configuration to everybody but administrators. The ticket is for an authenticator that does not exist, so it fails
 * without an effect.
 */
export async function accountRights(broker: Broker, call: Call): Promise<AccountRight[]> {
  const key = keyOf(call.key);
  const statusOf = async (question: { method: 'GET' | 'PUT'; path: string[]; body?: object }) => {
    const { status } = await broker.ask({ ...call, ...question, key });
    if (status !== 200 && status !== 403) throw fromStatus(call.node, status, key);
    return status === 200;
  };
  const isTrusted = await statusOf({ method: 'GET', path: ['transports'] });
  if (!isTrusted) return rightsOf(false, undefined, undefined);
  const isAdministrator = await statusOf({ method: 'GET', path: ['config'] });
  if (!isAdministrator) return rightsOf(true, false, undefined);
  const body = { authId: nobody, username: 'nobody', groups: ['none'] };
  return rightsOf(true, true, await statusOf({ method: 'PUT', path: ['tickets', 'create'], body }));
}

const nobody = '00000000-0000-0000-0000-000000000000';

const rightsOf = (
  trusted: boolean,
  administrator: boolean | undefined,
  tickets: boolean | undefined,
): AccountRight[] => [
  { right: 'trusted_address', isGranted: trusted },
  { right: 'administrator', isGranted: administrator },
  { right: 'tickets', isGranted: tickets },
];
