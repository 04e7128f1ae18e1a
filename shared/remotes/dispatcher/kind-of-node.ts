import type { DispatcherKindName } from './capabilities.ts';
import type { DispatcherKind, KindParts, Node } from './port.ts';

/** Creates the adapters of all kinds, and returns the one for a node. */
export function adaptersOf<Adapter>(
  kinds: Record<DispatcherKindName, DispatcherKind<Adapter>>,
  parts: KindParts,
): (node: Node) => Adapter {
  const adapters = new Map(Object.entries(kinds).map(([name, kind]) => [name, kind.create(parts)]));
  return ({ kind, name }) => {
    const adapter = adapters.get(kind);
    if (!adapter) throw new Error(`the dispatcher ${name} is of an unknown kind`);
    return adapter;
  };
}
