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
 * Where the window is. Browsers round the scroll position, and one pixel of it can be several of rows, so the pixels of rows
 * above the window are kept with the position that they belong to.
 */
type Position = { scrollTop: number; passed: number; speed: number };

/**
 * Follows the scrolling of an element with rows of equal height.
 * @param rowHeight in pixels, also of the header
 * @returns the view, and a function that scrolls as little as shows a row below the header
 */
export function useView(place: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const [view, setView] = useState<View>({ first: 0, last: Math.min(count, 40), shift: 0 });
  const position = useRef<Position>({ scrollTop: 0, passed: 0, speed: 1 });
  const measure = (element: HTMLElement): Position => {
    const current = currentPosition(element, position.current);
    position.current = current;
    setView((old) => sameOr(old, viewOf(element, current, count, rowHeight)));
    return current;
  };
  const moveTo = (element: HTMLElement, passed: number) => {
    position.current = move(element, passed, speedOf(element, count, rowHeight));
    measure(element);
  };
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    // The same rows stay in the window when rows are added. It may have been scrolled without an event so far.
    const { passed, speed } = measure(element);
    if (speedOf(element, count, rowHeight) !== speed) moveTo(element, passed);
    const onChange = () => void measure(element);
    element.addEventListener('scroll', onChange, { passive: true });
    const sizes = new ResizeObserver(onChange);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', onChange);
      sizes.disconnect();
    };
  }, [place, count, rowHeight]);
  const show = (index: number) => {
    const element = place.current;
    if (!element) return;
    const { passed } = measure(element);
    const last = index * rowHeight - (element.clientHeight - 2 * rowHeight);
    if (index * rowHeight < passed) moveTo(element, index * rowHeight);
    else if (last > passed) moveTo(element, last);
  };
  return { ...view, show };
}

/** The position that is known, unless the element was scrolled since. */
const currentPosition = ({ scrollTop }: HTMLElement, known: Position): Position =>
  scrollTop === known.scrollTop ? known : { ...known, scrollTop, passed: scrollTop * known.speed };

/** Scrolls until so many pixels of rows are above the window. */
function move(element: HTMLElement, wanted: number, speed: number): Position {
  const most = (element.scrollHeight - element.clientHeight) * speed;
  const passed = Math.max(0, Math.min(wanted, most));
  element.scrollTop = passed / speed;
  const { scrollTop } = element;
  return { scrollTop, passed: speed > 1 ? passed : scrollTop, speed };
}

function viewOf(
  { clientHeight }: HTMLElement,
  { scrollTop, passed }: Position,
  count: number,
  rowHeight: number,
): View {
  const first = Math.floor(passed / rowHeight) - around;
  const last = Math.ceil((passed + clientHeight) / rowHeight) + around;
  return {
    first: Math.max(0, Math.min(first, count)),
    last: Math.max(0, Math.min(last, count)),
    shift: passed - scrollTop,
  };
}

/** @returns how many pixels of rows pass while one pixel is scrolled */
function speedOf({ scrollHeight, clientHeight }: HTMLElement, count: number, rowHeight: number): number {
  const hidden = count * rowHeight - scrolledHeight(count, rowHeight);
  const scrolled = scrollHeight - clientHeight;
  return hidden > 0 && scrolled > 0 ? (scrolled + hidden) / scrolled : 1;
}

/** The old view if the next one equals it. */
const sameOr = (old: View, next: View): View =>
  old.first === next.first && old.last === next.last && old.shift === next.shift ? old : next;
