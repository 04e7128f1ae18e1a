import { useEffect, useState } from 'preact/hooks';
import { type SessionState, sessionChanged, sessionState } from '../client/session-state.ts';

/** The state of the session as the last request has found it. */
export function useSessionState(): SessionState {
  const [state, setState] = useState(sessionState);
  useEffect(() => {
    const note = () => setState(sessionState());
    // It can have changed since the first drawing.
    note();
    addEventListener(sessionChanged, note);
    return () => removeEventListener(sessionChanged, note);
  }, []);
  return state;
}
