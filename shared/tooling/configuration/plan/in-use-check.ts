import { conflict } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json/json.ts';
import { verbatim } from '../../../messages/message.ts';
import type { Section } from '../kinds.ts';
import type { Operator } from '../records/operator.ts';
import { type PortalRecord, pathOf } from '../records/state.ts';

/**
 * Rejects pruning of a record in use that the API would delete together with dependent objects.
 * @throws AppError `invalid_state`
 */
export async function mustNotBeInUse(operator: Operator, { kind, id, parent }: PortalRecord): Promise<void> {
  const { body } = await operator.call(`${kind.type}.get`, { params: pathOf(kind, id, parent) });
  const reason = reasons[kind.section](body);
  if (reason !== undefined) throw conflict('in_use', verbatim(reason));
}

type View = Record<string, unknown>;

const hasUsers = ({ users_count: users }: View): string | undefined =>
  isSome(users) ? `it has ${count(users, 'user')}` : undefined;
/** The API itself rejects the deletion of a record in use, or nothing depends on the record. */
const checkedByApi = (): undefined => undefined;

/** By section: why a record is in use; undefined if it is not. */
const reasons: Readonly<Record<Section, (view: View) => string | undefined>> = {
  authenticators: (view) => {
    const { groups_count: groups } = view;
    return hasUsers(view) ?? (isSome(groups) ? `it has ${count(groups, 'group')}` : undefined);
  },
  groups: hasUsers,
  tags: ({ source }) => (source === 'dispatcher' ? 'dispatchers have it' : undefined),
  gateways: ({ stats }) => {
    const connections = isObject(stats) ? stats.connections : 0;
    return isSome(connections) ? `it carries ${count(connections, 'connection')}` : undefined;
  },
  maintenance_templates: checkedByApi,
  sites: checkedByApi,
  roles: checkedByApi,
  farms: checkedByApi,
  dispatchers: checkedByApi,
  priority_groups: checkedByApi,
  rules: checkedByApi,
};

const isSome = (value: unknown): value is number => typeof value === 'number' && value > 0;

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
