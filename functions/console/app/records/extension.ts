import type { ComponentType } from 'preact';
import type { InputProps } from './form/input-props.ts';
import type { Field, Kind, Parents, Row } from './kinds.ts';
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
  /** Above the table of a list. `answer` is the first page as the API returned it. */
  ListHead?: ComponentType<{ kind: Kind; parents: Parents; answer: unknown }>;
  /** Buttons for several selected records. With it the rows of the list can be selected. */
  SelectionActions?: ComponentType<{ kind: Kind; parents: Parents; selection: Selected }>;
  /** Whether the user may use any of them. Default: true. */
  canSelect?: (kind: Kind, kinds: readonly Kind[]) => boolean;
  /** In the dialog with a record that the API returns in lists only. */
  DialogParts?: ComponentType<{ kind: Kind; row: Row; onClose: () => void }>;
  /** Cells of the list, by the name of the member. */
  cells?: Readonly<Record<string, ComponentType<CellProps>>>;
  /** Filters of the list, by their names. */
  filters?: Readonly<Record<string, OwnFilter>>;
  /** Names of the members that are columns as long as the reader chooses no others, besides the name. */
  usual?: readonly string[];
  /** Inputs for members of the form, by the name of the member. */
  inputs?: Readonly<Record<string, ComponentType<InputProps>>>;
};
