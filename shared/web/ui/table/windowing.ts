import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The rows that are in the window of a scrolled element, and some before and after them. */
export type Range = { first: number; last: number };

const around = 8;

/**
 * Follows the scrolling of an element with rows of equal height.
 * @param rowHeight in pixels
 * @returns indexes of the first row and of the row after the last one
 */
export function useRange(place: RefObject<HTMLElement | null>, count: number, rowHeight: number): Range {
  const [range, setRange] = useState<Range>({ first: 0, last: Math.min(count, 40) });
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setRange((old) => same(old, rangeOf(element, count, rowHeight)));
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      sizes.disconnect();
    };
  }, [place, count, rowHeight]);
  return range;
}

function rangeOf({ scrollTop, clientHeight }: HTMLElement, count: number, rowHeight: number): Range {
  const first = Math.floor(scrollTop / rowHeight) - around;
  const last = Math.ceil((scrollTop + clientHeight) / rowHeight) + around;
  return { first: Math.max(0, Math.min(first, count)), last: Math.max(0, Math.min(last, count)) };
}

const same = (old: Range, next: Range): Range =>
  old.first === next.first && old.last === next.last ? old : next;
