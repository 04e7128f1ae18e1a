import type { Extension } from '../../records/extension.ts';
import { DomainParts } from './domain-parts.tsx';
import { GroupsHead } from './import-groups.tsx';
import { SettingsInput } from './settings-input.tsx';
import { TypeInput } from './type-input.tsx';

export const domainExtension: Extension = {
  RecordParts: DomainParts,
  inParts: ['params'],
  inputs: { type: TypeInput, params: SettingsInput },
};

export const groupExtension: Extension = { ListHead: GroupsHead };
