import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { type Kind, kindOf, type Row } from '../../records/kinds.ts';

const textOf = (key: string): string | undefined => (hasText(key) ? sayText(key) : undefined);

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What happened, such as `Changed: Site North`. An event of a later version has its own name. */
export function eventTitle(row: Row, kinds: readonly Kind[]): string {
  const event = wordOf(row.event);
  const isAction = event === 'portal.EntityAction' || event.endsWith('Action');
  const happened =
    (isAction && actionText(wordOf(row.action))) ||
    textOf(`journal_event_${event.replaceAll('.', '_')}`) ||
    event;
  // The object of a login is its session, which has no name.
  const object = row.category === 'auth' && !isAction ? wordOf(row.user) : objectTitle(row, kinds);
  return object === '' ? happened : `${happened}: ${object}`;
}

const actionText = (action: string): string => textOf(`journal_action_${action}`) ?? action;

/** The object of an event, with the word for its type. */
export function objectTitle(row: Row, kinds: readonly Kind[]): string {
  const type = wordOf(row.object_type);
  return [type && objectTypeText(type, kinds), wordOf(row.object_name)].filter(Boolean).join(' ');
}

const objectTypeText = (type: string, kinds: readonly Kind[]): string =>
  kindOf(kinds, type)?.one ?? textOf(`journal_object_${type}`) ?? type;
