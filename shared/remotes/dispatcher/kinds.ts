import type { DispatcherKindName } from './capabilities.ts';
import { fromTransport } from './failures.ts';
import { adaptersOf } from './kind-of-node.ts';
import { openuds } from './openuds/kind.ts';
import {
  type Destination,
  type DispatcherAdapter,
  type DispatcherKind,
  type DispatcherRemote,
  deadlineOf,
  type KindParts,
  type Node,
} from './port.ts';
import { termidesk } from './termidesk/kind.ts';

/** Every kind of dispatcher, by its name in the API and in the database. A kind is a folder next to this file. */
const kinds: Record<DispatcherKindName, DispatcherKind> = { dispatcher: termidesk, openuds };

/** Creates the dispatchers on the transport of the runtime. `node.kind` of each call selects the adapter. */
export function createDispatchers(parts: KindParts): DispatcherRemote {
  const { inspect } = parts.transport;
  return {
    ...byNode(adaptersOf(kinds, parts)),
    ...(inspect && { certificate: (to) => certificate(inspect, to) }),
  };
}

const byNode = (at: (node: Node) => DispatcherAdapter): DispatcherAdapter => ({
  authorize: (request) => at(request.node).authorize(request),
  logOut: (call) => at(call.node).logOut(call),
  domains: (call) => at(call.node).domains(call),
  health: (request) => at(request.node).health(request),
  services: (call) => at(call.node).services(call),
  connectionInfo: (call, ...rest) => at(call.node).connectionInfo(call, ...rest),
  preconnectionInfo: (call, ...rest) => at(call.node).preconnectionInfo(call, ...rest),
  reconnect: (call, ...rest) => at(call.node).reconnect(call, ...rest),
  list: (call, ...rest) => at(call.node).list(call, ...rest),
  policies: (call, ...rest) => at(call.node).policies(call, ...rest),
  updatePool: (call, ...rest) => at(call.node).updatePool(call, ...rest),
  maintainPool: (call, ...rest) => at(call.node).maintainPool(call, ...rest),
  sendMessage: (call, ...rest) => at(call.node).sendMessage(call, ...rest),
  changeWorkplace: (call, ...rest) => at(call.node).changeWorkplace(call, ...rest),
  deleteWorkplace: (call, ...rest) => at(call.node).deleteWorkplace(call, ...rest),
  endSession: (call, ...rest) => at(call.node).endSession(call, ...rest),
  assistSession: (call, ...rest) => at(call.node).assistSession(call, ...rest),
  accountRights: async (call) => (await at(call.node).accountRights?.(call)) ?? [],
});

/** Reads the TLS certificate of a node; TLS does not depend on the kind. */
async function certificate(
  inspect: NonNullable<KindParts['transport']['inspect']>,
  to: Omit<Destination, 'trace'>,
) {
  try {
    return await inspect(to.node.url, { deadlineMs: deadlineOf(to), signal: to.signal });
  } catch (error) {
    throw fromTransport(to.node, error);
  }
}
