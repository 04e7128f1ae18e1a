import { useEffect, useState } from 'preact/hooks';

const narrow = matchMedia('(max-width: 40rem)');

/** True while the window has the width of a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const note = () => setNarrow(narrow.matches);
    note();
    narrow.addEventListener('change', note);
    return () => narrow.removeEventListener('change', note);
  }, []);
  return isNarrow;
}
