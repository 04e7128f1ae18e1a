import type { Extension } from '../../records/extension.ts';
import { FarmsInput } from './farms-input.tsx';

export const priorityGroup: Extension = { inputs: { farms: FarmsInput } };
