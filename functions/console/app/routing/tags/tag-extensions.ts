import type { Extension } from '../../records/extension.ts';
import { ColorInput } from '../../records/form/inputs/color-input.tsx';
import { TagParts } from './tag-parts.tsx';
import { TagSelection } from './tag-selection.tsx';

export const tag: Extension = { RecordParts: TagParts, inputs: { color: ColorInput } };

/** Of kinds whose records have tags. */
export const tagged: Extension = { SelectionActions: TagSelection };
