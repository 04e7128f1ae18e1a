import { useEffect, useReducer } from 'preact/hooks';

/**
 * The whole seconds until a time, counted down while the page is shown.
 * @param time in milliseconds since 1970
 * @returns 0 after the time, or without one
 */
export function useSecondsUntil(time: number | undefined): number {
  const [, redraw] = useReducer<number, void>((drawn) => drawn + 1, 0);
  useEffect(() => {
    if (time === undefined) return;
    const timer = setInterval(() => {
      if (Date.now() >= time) clearInterval(timer);
      redraw();
    }, 1_000);
    return () => clearInterval(timer);
  }, [time]);
  return time === undefined ? 0 : Math.max(0, Math.ceil((time - Date.now()) / 1_000));
}

/** A duration of less than an hour as minutes and seconds, such as `4:05`. */
export const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
