import { withLabels } from './form-text.ts';
import type {
  Catalogue,
  Field,
  HistoryVerbs,
  KindWords,
  ListVerb,
  LocalizedCatalogue,
  LocalizedField,
  LocalizedKind,
  LocalizedListVerb,
  LocalizedVerb,
  RecordKind,
  Verb,
} from './record-kinds.ts';
import { choiceLabel, helpOf, kindWords, labelOf, type RecordWords, verbLabel } from './words.ts';

/** What a text depends on: the words of a language, and the kind with its own ones. */
type Reader = { words: RecordWords; kind: KindWords };

/** The catalogue with the texts of one language. */
export const localize = ({ kinds }: Catalogue, words: RecordWords): LocalizedCatalogue => ({
  kinds: kinds.map((kind) => localizedKind(kind, words)),
});

function localizedKind(record: RecordKind, words: RecordWords): LocalizedKind {
  const {
    columns,
    list,
    get,
    create,
    update,
    delete: deletion,
    bulkDestroy,
    actions,
    history,
    ...rest
  } = record;
  const { type } = record;
  const kind = kindWords(record, words);
  const reader = { words, kind };
  const ofForms = new Set([create, update].flatMap((verb) => textsOf(verb?.fields, type)));
  const verbs = { get, create, update, delete: deletion, bulkDestroy };
  const declared = Object.entries(verbs).flatMap(([name, verb]) =>
    verb ? [[name, localizedVerb(verb, [type], reader)]] : [],
  );
  return {
    ...rest,
    ...kind,
    columns: localizedFields(columns, [type], words, ofForms),
    list: localizedList(list, type, reader),
    ...Object.fromEntries(declared),
    ...(history && { history: localizedHistory(history, type, reader) }),
    // Members of an action may have labels of their own, because they need not be members of the record.
    actions: actions.map((action) => localizedVerb(action, action.id.split('.'), reader)),
  };
}

const localizedHistory = (
  { list, get, restore }: HistoryVerbs<Verb>,
  type: string,
  reader: Reader,
): HistoryVerbs<LocalizedVerb> => ({
  list: localizedVerb(list, [type], reader),
  get: localizedVerb(get, [type], reader),
  restore: localizedVerb(restore, [type], reader),
});

/** The descriptions of members, with their places. */
const textsOf = (fields: readonly Field[] = [], place: string): string[] =>
  fields.flatMap((field) => [
    textAt(field, `${place}.${field.name}`),
    ...textsOf(field.fields, `${place}.${field.name}`),
  ]);

const textAt = ({ description }: Field, place: string): string => `${place}: ${description}`;

function localizedVerb(verb: Verb, place: readonly string[], { words, kind }: Reader): LocalizedVerb {
  const { summary: _, fields, ...rest } = verb;
  return {
    ...rest,
    label: verbLabel(verb, kind, words),
    ...(fields && { fields: localizedFields(fields, place, words) }),
  };
}

function localizedList(list: ListVerb, type: string, reader: Reader): LocalizedListVerb {
  const { sorts, filters, search, defaultSort, canCount, ...verb } = list;
  const { words } = reader;
  const help = search && helpOf({ description: search, type: 'text' }, words);
  return {
    ...localizedVerb(verb, [type], reader),
    sorts: sorts.map((value) => ({ value, label: labelOf([type, value], words) })),
    defaultSort,
    filters: localizedFields(filters, [type], words),
    ...(help && { search: help }),
    ...(canCount && { canCount }),
  };
}

/**
 * @param around place of the members
 * @param elsewhere texts of forms, which are not repeated
 */
function localizedFields(
  fields: readonly Field[],
  around: readonly string[],
  words: RecordWords,
  elsewhere?: ReadonlySet<string>,
): LocalizedField[] {
  const names = new Set(fields.map(({ name }) => name));
  const labels = (name: string) => (names.has(name) ? labelOf([...around, name], words) : undefined);
  return fields.map((field) => {
    const { description: _, pattern: __, choices, all, fields: parts, ...rest } = field;
    const place = [...around, field.name];
    const choice = (value: string) => ({ value, label: choiceLabel(place, value, words) });
    const code = (name: string) => (choices?.includes(name) ? choice(name).label : labels(name));
    const help = elsewhere?.has(textAt(field, place.join('.'))) ? undefined : helpOf(field, words);
    return {
      ...rest,
      label: labelOf(place, words),
      ...(help && { help: withLabels(help, code) }),
      ...(choices && { choices: choices.map(choice) }),
      ...(all !== undefined && { all: choice(all) }),
      ...(parts && { fields: localizedFields(parts, place, words, elsewhere) }),
    };
  });
}
