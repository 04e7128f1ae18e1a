import type {
  Catalogue,
  Field,
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
  const { columns, list, get, create, update, delete: deletion, bulkDestroy, actions, ...rest } = record;
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
    columns: columns.map((field) => localizedField(field, [type], words, ofForms)),
    list: localizedList(list, type, reader),
    ...Object.fromEntries(declared),
    // Members of an action may have labels of their own, because they need not be members of the record.
    actions: actions.map((action) => localizedVerb(action, action.id.split('.'), reader)),
  };
}

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
    ...(fields && { fields: fields.map((field) => localizedField(field, place, words)) }),
  };
}

function localizedList(list: ListVerb, type: string, reader: Reader): LocalizedListVerb {
  const { sorts, filters, search, defaultSort, canCount, ...verb } = list;
  const { words } = reader;
  const help = search && helpOf({ description: search }, words);
  return {
    ...localizedVerb(verb, [type], reader),
    sorts: sorts.map((value) => ({ value, label: labelOf([type, value], words) })),
    defaultSort,
    filters: filters.map((field) => localizedField(field, [type], words)),
    ...(help && { search: help }),
    ...(canCount && { canCount }),
  };
}

/**
 * @param around place of the member
 * @param elsewhere texts of forms, which are not repeated
 */
function localizedField(
  field: Field,
  around: readonly string[],
  words: RecordWords,
  elsewhere?: ReadonlySet<string>,
): LocalizedField {
  const { description: _, pattern: __, choices, all, fields, ...rest } = field;
  const place = [...around, field.name];
  const help = elsewhere?.has(textAt(field, place.join('.'))) ? undefined : helpOf(field, words);
  const choice = (value: string) => ({ value, label: choiceLabel(place, value, words) });
  return {
    ...rest,
    label: labelOf(place, words),
    ...(help && { help }),
    ...(choices && { choices: choices.map(choice) }),
    ...(all !== undefined && { all: choice(all) }),
    ...(fields && { fields: fields.map((one) => localizedField(one, place, words, elsewhere)) }),
  };
}
