import type { ComponentType } from 'preact';
import type { InputProps } from './form/input-props.ts';
import type { Field, Kind, Parents, Row } from './kinds.ts';
import type { Rows } from './list/use-rows.ts';
import type { Selected } from './list/use-selection.ts';
import type { RecordState, Target } from './requests.ts';

/** A cell of the list. */
export type CellProps = { field: Field; row: Row };

export type FilterInputProps = {
  label: string;
  value: string;
  onChange: (value: string | undefined) => void;
};

/** A filter whose values are not texts for readers. */
export type OwnFilter = { Value: ComponentType<{ value: string }>; Input: ComponentType<FilterInputProps> };

/** What a kind of records has besides the list, the form and the page that all kinds have. */
export type Extension = {
  /** Buttons beside the name of a record. */
  RecordActions?: ComponentType<{ target: Target; state: RecordState }>;
  /** Parts of the page of a record, below its members. */
  RecordParts?: ComponentType<{ target: Target; state: RecordState }>;
  /** Names of members that the parts show, so that the table of the members leaves them out. */
  inParts?: readonly string[];
  /** What names a record, if no member does. `kinds` are those that the user may read. */
  title?: { label: string; of: (row: Row, kinds: readonly Kind[]) => string };
  /** The columns of a list that the reader has not chosen, after the name. */
  columns?: readonly string[];
  /** Above the filters of a list, such as filters that are often used. It stays while rows are read. */
  ListFilters?: ComponentType<{ kind: Kind }>;
  /** The address of the page of a row, if the rows are shown as records of another kind. */
  rowAddress?: (row: Row) => string;
  /** Above the table of a list. `answer` is the first page as the API returned it. */
  ListHead?: ComponentType<{ kind: Kind; parents: Parents; answer: unknown }>;
  /** In the place of the table of a list, also if it is empty without filters. */
  ListBody?: ComponentType<{ kind: Kind; rows: Rows }>;
  /** Beside the button that creates a record, also in the empty list. */
  ListActions?: ComponentType;
  /** Buttons for several selected records. With it the rows of the list can be selected. */
  SelectionActions?: ComponentType<{ kind: Kind; parents: Parents; selection: Selected }>;
  /** Whether the user may use any of them. Default: true. */
  canSelect?: (kind: Kind, kinds: readonly Kind[]) => boolean;
  /** In the dialog with a record that the API returns in lists only. */
  DialogParts?: ComponentType<{ kind: Kind; row: Row; onClose: () => void }>;
  /** The dialog shows `DialogParts`, and the members only when the reader opens them. */
  foldsMembers?: true;
  /** Cells of the list, by the name of the member. */
  cells?: Readonly<Record<string, ComponentType<CellProps>>>;
  /** Filters of the list, by their names. */
  filters?: Readonly<Record<string, OwnFilter>>;
  /** Inputs for members of the form, by the name of the member. */
  inputs?: Readonly<Record<string, ComponentType<InputProps>>>;
};
