import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { endSuggestions, suggestsPasskeys } from '../../../../shared/web/credentials/passkeys.ts';
import { PasskeyButton } from '../passkey-button.tsx';
import { offersPasskeys, signInByPasskey } from '../passkeys.ts';
import { say } from '../texts.ts';
import type { MethodProps } from './method.ts';

/** Milliseconds after which the browser gets new options. The portal accepts a challenge for 300 seconds. */
const renewMs = 240_000;

/** A passkey instead of user name and password. */
export const PasskeyMethod = (props: MethodProps): JSX.Element | null =>
  offersPasskeys() ? <Passkey {...props} /> : null;

function Passkey(props: MethodProps): JSX.Element {
  const { pause, resume } = useSuggestions(props);
  const work = async () => {
    pause();
    try {
      return await signInByPasskey();
    } catch (error) {
      resume();
      throw error;
    }
  };
  return <PasskeyButton {...props} label={say('passkey_sign_in')} work={work} />;
}

/**
 * The browser offers passkeys among the suggestions of the field for the user name, while the step is shown. A browser
 * has one request for a passkey at a time, so they pause while the user is asked for one.
 */
function useSuggestions({ onOutcome }: MethodProps): { pause: () => void; resume: () => void } {
  const isPaused = useRef(false);
  const start = () => {
    if (isPaused.current) return;
    // Without a passkey, after a refusal and after the end of the step, the other ways to sign in remain.
    void suggest().then(onOutcome, () => undefined);
  };
  const pause = () => {
    isPaused.current = true;
  };
  const resume = () => {
    isPaused.current = false;
    start();
  };
  useEffect(() => {
    start();
    const timer = setInterval(start, renewMs);
    return () => {
      clearInterval(timer);
      pause();
      void suggestsPasskeys().then((isOffered) => (isOffered ? endSuggestions() : undefined));
    };
  }, []);
  return { pause, resume };
}

async function suggest() {
  if (!(await suggestsPasskeys())) throw new Error('the browser has no suggestions of passkeys');
  return signInByPasskey(true);
}
