import type { Extension } from '../../records/extension.ts';
import { LastInput } from './steps.tsx';
import { TemplateParts } from './template-parts.tsx';

export const template: Extension = { RecordParts: TemplateParts, inputs: { logoff_sessions: LastInput } };
