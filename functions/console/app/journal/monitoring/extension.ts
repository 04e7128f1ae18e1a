import type { Extension } from '../../records/extension.ts';
import { SelectedStates, StateActions } from './actions.tsx';
import { Meaning, MonitoringFilters } from './parts.tsx';

export const monitoring: Extension = {
  columns: ['level', 'state', 'at', 'source', 'object_name'],
  ListFilters: MonitoringFilters,
  SelectionActions: SelectedStates,
  RecordActions: StateActions,
  RecordParts: Meaning,
};
