import type { ComponentProps, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shortcutOf } from '../../keys/shortcuts.ts';
import classes from './controls.module.css';
import { Icon } from './icon.tsx';

type SearchFieldProps = {
  label: string;
  text: string;
  onText: (text: string) => void;
  onKeyDown?: ComponentProps<'input'>['onKeyDown'];
};

/** A text that filters a page. The key `/` moves the focus to it from anywhere on the page. */
export function SearchField({ label, text, onText, onKeyDown }: SearchFieldProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  // As soon as the field is shown, so that no key is lost.
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (shortcutOf(event) !== '/') return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <div class={classes.search}>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={text}
        maxLength={100}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        {...(onKeyDown && { onKeyDown })}
      />
    </div>
  );
}
