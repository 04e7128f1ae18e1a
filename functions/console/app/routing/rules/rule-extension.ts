import type { Extension } from '../../records/extension.ts';
import { MembersInput } from './members-input.tsx';
import { RuleParts } from './rule-parts.tsx';

export const rule: Extension = {
  RecordParts: RuleParts,
  inParts: ['members'],
  inputs: { members: MembersInput },
};
