import type { z } from 'zod';
import { badAnswer } from '../../failures.ts';
import { readRow } from '../../lenient-rows.ts';
import type { Destination, Node } from '../../port.ts';
import type { Ignored } from '../../rows.ts';
import { type Broker, originOf } from '../exchange.ts';
import { fromStatus } from '../faults.ts';
import type { NodeKey } from '../node-key.ts';
import { RowReader, UnreadableRows } from './rows-stream.ts';
import { Slots } from './slots.ts';

/** Bounds of one answer of the broker. It has no pages. */
export const most = { bytes: 32 * 1024 * 1024, rows: 50_000 };
/** A list of 10,000 rows takes a busy broker many seconds, whatever the time limit of other calls is. */
const longestMs = 30_000;

/**
 * Reads a list of pools, desktops or users, row by row. One request is in flight for each broker, so that it has workers
 * left for its users. Requests take turns, so an order does not wait for a whole round of lists.
 */
export class RowSource {
  readonly #broker: Broker;
  readonly #slots = new Slots();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** @returns why rows without an identity were dropped */
  async read<S extends z.ZodRawShape>(
    to: Destination,
    key: NodeKey,
    path: readonly string[],
    shape: z.ZodObject<S>,
    onRow: (row: z.output<z.ZodObject<S>>, ignored: Ignored[]) => void,
  ): Promise<Ignored[]> {
    const dropped: Ignored[] = [];
    const reader = new RowReader((item) => {
      const { row, ignored } = readRow(shape, 'id' as keyof S & string, item);
      if (row) onRow(row, ignored.map(inPort));
      else dropped.push(...ignored.map(inPort));
    }, most.rows);
    const node: Node = { ...to.node, timeoutMs: Math.max(to.node.timeoutMs, longestMs) };
    const onText = (part: string) => reader.write(part);
    const question = { ...to, node, deadlineMs: longestMs, method: 'GET', path, key } as const;
    try {
      const { status } = await this.#slots.run(originOf(node), () =>
        this.#broker.ask({ ...question, maxBytes: most.bytes, onText }),
      );
      if (status !== 200) throw fromStatus(to.node, status, key);
      reader.end();
    } catch (error) {
      throw error instanceof UnreadableRows ? badAnswer(to.node, error.reason, error) : error;
    }
    return dropped;
  }
}

/** Members of the port by those of the broker, for the record of ignored members. */
const portNames: Readonly<Record<string, string>> = {
  id: 'uuid',
  friendly_name: 'name',
  user_services_count: 'workplaces_count',
  user_services_in_preparation: 'in_preparation_count',
  creation_date: 'created_at',
  in_use_date: 'in_use_since',
  source_ip: 'client_ip',
  source_host: 'client_host',
  actor_version: 'agent_version',
};

const inPort = ({ member, reason }: Ignored): Ignored => ({ member: portNames[member] ?? member, reason });
