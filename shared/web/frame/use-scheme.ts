import { useEffect, useState } from 'preact/hooks';
import { applyScheme, chooseScheme, currentScheme, type Scheme } from './preferences.ts';

/** The event of `window` when the user has chosen a colour scheme in this page. */
const schemeChosen = 'scheme-chosen';

/** The colour scheme, and how to choose another one. All parts of the page, and other tabs, follow a choice. */
export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState(currentScheme);
  useEffect(() => {
    const note = ({ detail }: CustomEventInit<Scheme>) => detail !== undefined && setScheme(detail);
    const follow = ({ key }: StorageEvent) => {
      if (key !== 'scheme') return;
      applyScheme(currentScheme());
      setScheme(currentScheme());
    };
    addEventListener(schemeChosen, note);
    addEventListener('storage', follow);
    return () => {
      removeEventListener(schemeChosen, note);
      removeEventListener('storage', follow);
    };
  }, []);
  const choose = (next: Scheme) => {
    chooseScheme(next);
    // The browser may store nothing, so the choice goes along.
    dispatchEvent(new CustomEvent(schemeChosen, { detail: next }));
  };
  return [scheme, choose];
}
