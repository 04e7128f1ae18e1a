import type { Extension } from '../../records/extension.ts';
import { EndLocks, LockActions, LocksHead } from './lock-outs.tsx';
import { EndSessions, SessionActions } from './login-sessions.tsx';
import { RevokeTokens, TokenActions } from './service-tokens.tsx';
import { userAddress } from './user-address.ts';

export const portalUserExtension: Extension = {
  columns: ['real_name', 'authenticator_id', 'state', 'roles', 'locked_until', 'last_login_at'],
  rowAddress: userAddress,
};

export const loginSessionExtension: Extension = {
  columns: ['authenticator_id', 'portal', 'source_ip', 'platform', 'created_at', 'last_seen_at'],
  DialogParts: SessionActions,
  SelectionActions: EndSessions,
};

export const lockOutExtension: Extension = {
  ListHead: LocksHead,
  DialogParts: LockActions,
  SelectionActions: EndLocks,
};

export const issuedTokenExtension: Extension = {
  columns: ['user', 'authenticator_id', 'own', 'expires_at', 'last_seen_at'],
  DialogParts: TokenActions,
  SelectionActions: RevokeTokens,
};
