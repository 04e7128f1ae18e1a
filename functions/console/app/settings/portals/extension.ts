import type { Extension } from '../../records/extension.ts';
import { PortalParts } from './dialog-parts.tsx';
import { PortalHead } from './parts.tsx';

export const portals: Extension = {
  columns: ['state', 'version', 'portal_type', 'runtime', 'last_seen_at', 'tags'],
  ListHead: PortalHead,
  DialogParts: PortalParts,
};
