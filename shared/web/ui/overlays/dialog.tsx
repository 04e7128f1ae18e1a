import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { frameText } from '../../text/texts.ts';
import { IconButton } from '../controls/button.tsx';
import classes from './overlays.module.css';

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons, the most important one last. */
  actions?: ComponentChildren;
  /** For tables and other content that needs room. */
  isWide?: boolean;
};

/** A modal dialog. It exists while it is open; the Escape key and a click outside close it. */
export function Dialog({ title, onClose, children, actions, isWide = false }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key closes it as well
    <dialog
      ref={dialog}
      class={`${classes.dialog} ${isWide ? classes.wide : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div class={classes.sheet}>
        <header class={classes.title}>
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label={frameText('close')} onClick={onClose} />
        </header>
        <div class={classes.content}>{children}</div>
        {actions !== undefined && <footer class={classes.actions}>{actions}</footer>}
      </div>
    </dialog>
  );
}
