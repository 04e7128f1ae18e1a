import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The rows that are in the window of a scrolled element, and some before and after them. */
export type Range = { first: number; last: number };

/** Pixels by which rows are drawn above their place in a table of full height. */
export type View = Range & { shift: number };

/**
 * Firefox draws nothing below 17.9 million pixels of the screen, Chromium nothing below 33.5 million, and a pixel of the page can be
 * three of the screen. Above this height in pixels the table is scrolled faster than its rows pass.
 */
const mostHeight = 5_000_000;

/** @returns the height of all rows as it is scrolled, in pixels */
export const scrolledHeight = (count: number, rowHeight: number): number =>
  Math.min(count * rowHeight, mostHeight);

const around = 8;

/**
 * Follows the scrolling of an element with rows of equal height.
 * @param rowHeight in pixels
 * @returns indexes of the first row and of the row after the last one
 */
export function useView(place: RefObject<HTMLElement | null>, count: number, rowHeight: number): View {
  const [view, setView] = useState<View>({ first: 0, last: Math.min(count, 40), shift: 0 });
  const speed = useRef(1);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => {
      speed.current = speedOf(element, count, rowHeight);
      const passed = element.scrollTop * speed.current;
      setView((old) => same(old, viewOf(element, passed, count, rowHeight)));
    };
    // The same rows stay in the window when rows are added. It may have been scrolled without an event so far.
    const passed = element.scrollTop * speed.current;
    const next = speedOf(element, count, rowHeight);
    if (next > 1) element.scrollTop = passed / next;
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      sizes.disconnect();
    };
  }, [place, count, rowHeight]);
  return view;
}

function viewOf(
  { scrollTop, clientHeight }: HTMLElement,
  top: number,
  count: number,
  rowHeight: number,
): View {
  const first = Math.floor(top / rowHeight) - around;
  const last = Math.ceil((top + clientHeight) / rowHeight) + around;
  return {
    first: Math.max(0, Math.min(first, count)),
    last: Math.max(0, Math.min(last, count)),
    shift: top - scrollTop,
  };
}

/** Scrolls as little as shows a row below a header of the height of a row. */
export function scrollToRow(element: HTMLElement, index: number, count: number, rowHeight: number): void {
  const speed = speedOf(element, count, rowHeight);
  const top = index * rowHeight;
  const shown = element.clientHeight - 2 * rowHeight;
  const current = element.scrollTop * speed;
  if (top < current) element.scrollTop = top / speed;
  else if (top > current + shown) element.scrollTop = (top - shown) / speed;
}

/** @returns how many pixels of rows pass while one pixel is scrolled */
function speedOf({ scrollHeight, clientHeight }: HTMLElement, count: number, rowHeight: number): number {
  const hidden = count * rowHeight - scrolledHeight(count, rowHeight);
  const scrolled = scrollHeight - clientHeight;
  return hidden > 0 && scrolled > 0 ? (scrolled + hidden) / scrolled : 1;
}

const same = (old: View, next: View): View =>
  old.first === next.first && old.last === next.last && old.shift === next.shift ? old : next;
