import type { IssuedKey, Node } from '../../remotes/dispatcher/port.ts';
import type { Examination, Transport } from '../../remotes/http/transport.ts';
import { examineNode } from './examine-node.ts';
import { askForKey, readHealth, readLists, readRights, type TestedNode } from './node-calls.ts';
import { createProtocol, type Step } from './steps.ts';

export type TestParts = Omit<TestedNode, 'node' | 'protocol'> & { transport: Transport };

/** @property healthKey of the health check of the node; undefined if none is set */
export type TestSubject = { node: Node; healthKey: string | undefined };

export type ConnectionTest = {
  steps: Step[];
  tls: Examination['tls'];
  version: string | null;
  /** Labels of the domains of the node. Null if they were not read. */
  domains: string[] | null;
  /** Number of pools on the first page of the list. Null if the list was not read. */
  pools: number | null;
};

/**
 * Tests step by step whether the portal can use a node: name, address, connection, certificate, answer, authorization,
 * rights of its account, health check and lists. Nothing is stored, and the session key of the node is ended.
 */
export async function testConnection(
  parts: TestParts,
  { node, healthKey }: TestSubject,
): Promise<ConnectionTest> {
  const protocol = createProtocol();
  const tested: TestedNode = { ...parts, node, protocol };
  const { tls, isUsable } = await examineNode(parts.transport, tested);
  const nothing = { version: null, domains: null, pools: null };
  const key = isUsable ? await askForKey(tested) : undefined;
  if (!key) return { steps: protocol.steps(), tls, ...nothing };
  const mayRead = await readRights(tested, key);
  const [version, lists] = await Promise.all([
    readHealth(tested, healthKey),
    mayRead ? readLists(tested, key) : undefined,
  ]);
  endKey(tested, key);
  return {
    steps: protocol.steps(),
    tls,
    version: version ?? null,
    ...(lists ?? { domains: null, pools: null }),
  };
}

/** A key that cannot be ended expires. */
const endKey = ({ dispatchers, node, trace, background }: TestedNode, { token: key }: IssuedKey): void =>
  background(dispatchers.logOut({ node, trace, key }).catch(() => undefined));
