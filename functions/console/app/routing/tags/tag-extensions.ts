import type { Extension } from '../../records/extension.ts';
import { TagParts } from './tag-parts.tsx';
import { TagSelection } from './tag-selection.tsx';

export const tag: Extension = { RecordParts: TagParts };

/** Of kinds whose records have tags. */
export const tagged: Extension = { SelectionActions: TagSelection };
