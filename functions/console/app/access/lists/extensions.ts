import type { Extension } from '../../records/extension.ts';
import { EndLocks, LockActions, LocksHead } from './lock-outs.tsx';
import { EndSessions, SessionActions } from './login-sessions.tsx';
import { RevokeTokens, TokenActions } from './service-tokens.tsx';
import { userAddress } from './user-address.ts';

export const portalUserExtension: Extension = { rowAddress: userAddress };

export const loginSessionExtension: Extension = {
  DialogParts: SessionActions,
  SelectionActions: EndSessions,
};

export const lockOutExtension: Extension = {
  ListHead: LocksHead,
  DialogParts: LockActions,
  SelectionActions: EndLocks,
};

export const issuedTokenExtension: Extension = {
  DialogParts: TokenActions,
  SelectionActions: RevokeTokens,
};
