import type { DispatcherKindName } from './capabilities.ts';
import { adaptersOf } from './kind-of-node.ts';
import { openudsKeys } from './openuds/key-kind.ts';
import type { DispatcherKeys, DispatcherKind, KindParts } from './port.ts';
import { termideskKeys } from './termidesk/keys.ts';

const kinds: Record<DispatcherKindName, DispatcherKind<DispatcherKeys>> = {
  dispatcher: termideskKeys,
  openuds: openudsKeys,
};

/** The session keys of dispatchers, for a module that calls nothing else: lists and orders are not part of its bundle. */
export function createDispatcherKeys(parts: KindParts): DispatcherKeys {
  const at = adaptersOf(kinds, parts);
  return {
    authorize: (request) => at(request.node).authorize(request),
    logOut: (call) => at(call.node).logOut(call),
  };
}
