import { useEffect, useState } from 'preact/hooks';
import { sessionContinued, sessionEnded } from '../client/session.ts';

/** True from the end of the session until the user has signed in again, in another tab. */
export function useSessionEnd(): boolean {
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    const end = () => setEnded(true);
    const go = () => setEnded(false);
    addEventListener(sessionEnded, end);
    addEventListener(sessionContinued, go);
    return () => {
      removeEventListener(sessionEnded, end);
      removeEventListener(sessionContinued, go);
    };
  }, []);
  return hasEnded;
}
