/**
 * What a page needs to know of the record kinds of an API, derived from its OpenAPI document. With it a page lists,
 * shows and edits records of a kind that its code does not mention.
 */
export type Catalogue = { kinds: RecordKind[] };

export type FieldType =
  | 'text'
  /** Text of several lines. */
  | 'long_text'
  /** Text that is written, and never returned. */
  | 'secret'
  | 'email'
  /** A picture as a data URI. */
  | 'picture'
  | 'integer'
  | 'number'
  | 'flag'
  | 'choice'
  /** A moment (RFC 3339). */
  | 'time'
  /** The id of another record, whose kind is `reference`. */
  | 'reference'
  /** An object with the members in `fields`. */
  | 'object'
  /** Any JSON value. */
  | 'json';

/** A member of a record, or a filter of a list. */
export type Field = {
  name: string;
  type: FieldType;
  description: string;
  /** The value is an array of values of this type. */
  isMany?: true;
  /** A new record needs a value. */
  isRequired?: true;
  isNullable?: true;
  /** Can be set only when the record is created. */
  isImmutable?: true;
  /** The value of a new record without one. */
  default?: unknown;
  minimum?: number;
  maximum?: number;
  /** Characters of a text. */
  maxLength?: number;
  /** Values of an array. */
  maxItems?: number;
  pattern?: string;
  choices?: string[];
  /** A text that stands for all values, beside a list of them. */
  all?: string;
  /** Type of the referenced records. */
  reference?: string;
  /** The member of the record that a write of this one sets. */
  storedAs?: string;
  fields?: Field[];
  /** A filter by the values of this member, whose bounds are these parameters. */
  range?: Range;
};

/** Names of parameters with the bounds of the values of a member. */
export type Range = { from?: string; to?: string };

/** An operation on one record, or on all records of a kind. */
export type Verb = {
  id: string;
  method: string;
  /** Path with parameters in braces. */
  path: string;
  summary: string;
  /** Permissions that the caller needs; empty if a session is enough. */
  permissions: string[];
  /** The caller needs the permissions for all sites, because the records belong to none. */
  needsAllSites?: true;
  /** Members of the body. Absent if the operation has no body. */
  fields?: Field[];
  /** Supports `X-Dry-Run`. */
  canTry?: true;
  /** Supports `If-Match`. */
  isConditional?: true;
};

export type ListVerb = Verb & {
  /** Keys of the sort order, without a leading `-`. */
  sorts: string[];
  defaultSort: string;
  filters: Field[];
  /** What `search` compares. Absent if the list has no search. */
  search?: string;
  /** Supports `count=exact`. */
  canCount?: true;
};

/** The versions of a record. The body of `restore` names the version. */
export type HistoryVerbs<V> = { list: V; get: V; restore: V };

export type RecordKind = {
  /** As in operation ids, references and audit events. */
  type: string;
  /** With an article: `a farm`. */
  one: string;
  many: string;
  /** Path of the list. */
  path: string;
  /** Path parameters of the list: the owner of a nested collection. */
  parents: string[];
  /** Path parameter of one record. Absent if single records cannot be read. */
  idParam?: string;
  /** Members of a row of the list and of one record. */
  columns: Field[];
  list: ListVerb;
  get?: Verb;
  create?: Verb;
  update?: Verb;
  delete?: Verb;
  bulkDestroy?: Verb;
  history?: HistoryVerbs<Verb>;
  /** Further operations on one record. */
  actions: Verb[];
};

/** A value and the word for it. */
export type Choice = { value: string; label: string };

/** A catalogue with the texts of one language, for lists and forms. */
export type LocalizedCatalogue = { kinds: LocalizedKind[] };

export type LocalizedField = Omit<Field, 'description' | 'pattern' | 'choices' | 'all' | 'fields'> & {
  label: string;
  /** Absent if a form of the kind has the same text for this member. */
  help?: string;
  choices?: Choice[];
  all?: Choice;
  fields?: LocalizedField[];
};

export type LocalizedVerb = Omit<Verb, 'summary' | 'fields'> & {
  /** Short, for a button. */
  label: string;
  fields?: LocalizedField[];
};

export type LocalizedListVerb = LocalizedVerb &
  Pick<ListVerb, 'defaultSort' | 'search' | 'canCount'> & { sorts: Choice[]; filters: LocalizedField[] };

type VerbName = 'get' | 'create' | 'update' | 'delete' | 'bulkDestroy';

type LocalizedPart = 'one' | 'many' | 'columns' | 'list' | 'actions' | 'history' | VerbName;

export type LocalizedKind = Omit<RecordKind, LocalizedPart> &
  KindWords & {
    columns: LocalizedField[];
    list: LocalizedListVerb;
    actions: LocalizedVerb[];
    history?: HistoryVerbs<LocalizedVerb>;
  } & { [Name in VerbName]?: LocalizedVerb };

export type KindWords = {
  /** Title of one record: `Farm`. */
  one: string;
  /** Title of a list: `Farms`. */
  many: string;
  /** One record as the object of a verb, in lower case: `farm` in `Delete farm?`. */
  object: string;
};
