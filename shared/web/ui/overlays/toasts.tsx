import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { frameText } from '../../text/texts.ts';
import { IconButton } from '../controls/button.tsx';
import classes from './overlays.module.css';

type Toast = { id: number; text: string; isFault: boolean };

/** Milliseconds for which a message is shown; a fault stays until it is closed. */
const shownMs = 6_000;
let count = 0;
let toasts: readonly Toast[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const remove = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

/** Shows a short message that needs no answer. */
export function toast(text: string, { isFault = false } = {}): void {
  count += 1;
  const id = count;
  change([...toasts.slice(-2), { id, text, isFault }]);
  if (!isFault) setTimeout(() => remove(id), shownMs);
}

/** The place of the messages, once on a page. Screen readers announce each. */
export function Toasts(): JSX.Element {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((drawn) => drawn + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return (
    <div class={classes.toasts} role="status" aria-live="polite">
      {toasts.map(({ id, text, isFault }) => (
        <div key={id} class={`${classes.toast} ${isFault ? classes.fault : ''}`}>
          <span>{text}</span>
          <IconButton icon="close" label={frameText('close')} onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}
