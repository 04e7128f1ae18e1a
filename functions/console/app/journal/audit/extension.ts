import type { Extension } from '../../records/extension.ts';
import { say } from '../../texts.ts';
import { ActorCell, EventParts } from './event-parts.tsx';
import { eventTitle } from './event-words.ts';
import { AuditFilters } from './quick-filters.tsx';

export const audit: Extension = {
  title: { label: say('journal_event'), of: eventTitle },
  columns: ['at', 'user', 'result', 'category', 'source_ip'],
  cells: { user: ActorCell },
  ListFilters: AuditFilters,
  DialogParts: EventParts,
  foldsMembers: true,
};
