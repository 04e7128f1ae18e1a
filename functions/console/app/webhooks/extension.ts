import type { Extension } from '../records/extension.ts';
import { Actions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { EventsInput } from './events-input.tsx';

export const extension: Extension = {
  RecordActions: Actions,
  RecordParts: Deliveries,
  inputs: { events: EventsInput },
};
