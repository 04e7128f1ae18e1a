import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** True as soon as the element has been near the window once, so that what is far below it is not read. */
export function useSeen<E extends Element>(): [place: RefObject<E | null>, isSeen: boolean] {
  const place = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (isSeen || !element) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '300px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [place, isSeen];
}
