import type { Extension } from '../../records/extension.ts';
import { GatewayActions } from './gateway-actions.tsx';
import { GatewayParts } from './gateway-parts.tsx';

export const gateway: Extension = {
  RecordActions: GatewayActions,
  RecordParts: GatewayParts,
  inParts: ['stats', 'last_used_at'],
};
