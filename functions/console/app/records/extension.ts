import type { ComponentType } from 'preact';
import type { InputProps } from './form/input-props.ts';
import type { Kind, Parents, Row } from './kinds.ts';
import type { Selected } from './list/use-selection.ts';
import type { RecordState, Target } from './requests.ts';

/** What a kind of records has besides the list, the form and the page that all kinds have. */
export type Extension = {
  /** Buttons beside the name of a record. */
  RecordActions?: ComponentType<{ target: Target; state: RecordState }>;
  /** Parts of the page of a record, below its members. */
  RecordParts?: ComponentType<{ target: Target; state: RecordState }>;
  /** The address of the page of a row, if the rows are shown as records of another kind. */
  rowAddress?: (row: Row) => string;
  /** Above the table of a list. `answer` is the first page as the API returned it. */
  ListHead?: ComponentType<{ kind: Kind; parents: Parents; answer: unknown }>;
  /** Buttons for several selected records. With it the rows of the list can be selected. */
  SelectionActions?: ComponentType<{ kind: Kind; parents: Parents; selection: Selected }>;
  /** In the dialog with a record that the API returns in lists only. */
  DialogParts?: ComponentType<{ kind: Kind; row: Row; onClose: () => void }>;
  /** Inputs for members of the form, by the name of the member. */
  inputs?: Readonly<Record<string, ComponentType<InputProps>>>;
};
