import { conflict } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { verbatim } from '../../../messages/message.ts';
import type { Operator } from '../records/operator.ts';
import { type PortalRecord, pathOf } from '../records/state.ts';

/**
 * Rejects pruning of a record in use that the API would delete together with dependent objects.
 * @throws AppError `invalid_state`
 */
export async function mustNotBeInUse(operator: Operator, { kind, id, parent }: PortalRecord): Promise<void> {
  const { body } = await operator.call(`${kind.type}.get`, { params: pathOf(kind, id, parent) });
  const reason = reasonOf(kind.section, body);
  if (reason !== undefined) throw conflict('in_use', verbatim(reason));
}

function reasonOf(section: string, view: Record<string, unknown>): string | undefined {
  const { users_count: users, groups_count: groups, source, stats } = view;
  switch (section) {
    case 'authenticators':
      if (isSome(users)) return `it has ${count(users, 'user')}`;
      return isSome(groups) ? `it has ${count(groups, 'group')}` : undefined;
    case 'groups':
      return isSome(users) ? `it has ${count(users, 'user')}` : undefined;
    case 'tags':
      return source === 'dispatcher' ? 'dispatchers have it' : undefined;
    case 'gateways': {
      const connections = isObject(stats) ? stats.connections : 0;
      return isSome(connections) ? `it carries ${count(connections, 'connection')}` : undefined;
    }
    default:
      return undefined;
  }
}

const isSome = (value: unknown): value is number => typeof value === 'number' && value > 0;

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
