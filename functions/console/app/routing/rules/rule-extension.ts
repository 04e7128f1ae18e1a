import type { Extension } from '../../records/extension.ts';
import { RuleWhy } from '../why/rule-why.tsx';

export const rule: Extension = { RecordParts: RuleWhy };
