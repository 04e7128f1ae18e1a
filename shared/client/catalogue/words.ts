import { formText } from './form-text.ts';
import type { Field, KindWords, RecordKind, Verb } from './record-kinds.ts';

type Texts = Readonly<Record<string, string>>;

/** The words of one language. What has no word here is shown in English, derived from its name or from the document. */
export type RecordWords = {
  /** By type of records. */
  kinds: Readonly<Record<string, Partial<KindWords>>>;
  /** Labels of members, by name or by place, such as `rule.members` and `workplace.message.title`. */
  labels: Texts;
  /** Words for the values of members, by name or place of the member and by value. */
  choices: Readonly<Record<string, Texts>>;
  /** Phrases for permissions: by permission, or from the phrase of the action and the words for the resource. */
  permissions: { phrases: Texts; actions: Texts; resources: Texts };
  /** Labels of operations, by identifier or by its last part. `{object}` and `{many}` are words of the kind. */
  verbs: Texts;
  /** Help texts and descriptions of searches, by the English text. */
  help: Texts;
};

/** `last_seen_at` as `Last seen`, `site_id` as `Site`. */
export function humanized(name: string): string {
  const words = name
    .replace(/_(?:at|id|uuid)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[_.]+/g, ' ');
  return capitalized(words);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Where the words for a member may be, the most specific place first.
 * @param place type of the kind, names of enclosing operations and members, name of the member
 */
function* placesOf(place: readonly string[]): Generator<string> {
  const name = place.at(-1) ?? '';
  if (place.length > 2) yield place.join('.');
  yield `${place[0]}.${name}`;
  yield name;
}

function firstOf<T>(place: readonly string[], wordAt: (place: string) => T | undefined): T | undefined {
  for (const one of placesOf(place)) {
    const word = wordAt(one);
    if (word !== undefined) return word;
  }
  return undefined;
}

export const labelOf = (place: readonly string[], { labels }: RecordWords): string =>
  firstOf(place, (one) => labels[one]) ?? humanized(place.at(-1) ?? '');

export const choiceLabel = (place: readonly string[], value: string, words: RecordWords): string =>
  firstOf(place, (one) => words.choices[one]?.[value]) ?? permissionLabel(value, words) ?? humanized(value);

function permissionLabel(permission: string, { permissions }: RecordWords): string | undefined {
  const { phrases, actions, resources } = permissions;
  const [resource = '', action = ''] = permission.split('.');
  const phrase = phrases[permission] ?? actions[action];
  const object = phrase?.includes('{resource}') ? resources[resource] : '';
  return object === undefined ? undefined : phrase?.replace('{resource}', object);
}

/** @returns undefined for a member without a description */
export const helpOf = (
  field: Pick<Field, 'description' | 'type'>,
  { help }: RecordWords,
): string | undefined =>
  field.description === '' ? undefined : (help[field.description] ?? formText(field));

export function kindWords({ type, one, many }: RecordKind, { kinds }: RecordWords): KindWords {
  const words = kinds[type];
  const object = one === type ? humanized(type).toLowerCase() : one.replace(/^an? /, '');
  return {
    one: words?.one ?? capitalized(object),
    many: words?.many ?? (many === type ? humanized(type) : capitalized(many)),
    object: words?.object ?? words?.one?.toLowerCase() ?? object,
  };
}

export function verbLabel({ id, summary }: Verb, kind: KindWords, { verbs }: RecordWords): string {
  const label = verbs[id] ?? verbs[id.split('.').at(-1) ?? ''] ?? summary;
  return label.replace(/\{(object|many)\}/g, (_, name: 'object' | 'many') => kind[name]);
}
