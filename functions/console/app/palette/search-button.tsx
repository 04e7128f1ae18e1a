import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keyOf } from '../../../../shared/web/keys/shortcuts.ts';
import { Icon } from '../../../../shared/web/ui/controls/icon.tsx';
import { lazy } from '../shell/lazy.tsx';
import { say } from '../texts.ts';
import { isApple, showShortcuts, useKeys } from './keys.ts';
import classes from './palette.module.css';
import type { PaletteProps } from './palette.tsx';

const load = () => import('./palette.tsx');
const Palette = lazy<PaletteProps>(async () => (await load()).Palette);
const Shortcuts = lazy<{ onClose: () => void }>(
  async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
);

/** Opens the palette, on every page of the console and with Ctrl-K. */
export function SearchButton(): JSX.Element {
  const [shown, setShown] = useState<'palette' | 'shortcuts'>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setShown(undefined);
    button.current?.focus({ preventScroll: true });
  };
  useOpeners(setShown);
  useKeys();
  return (
    <>
      <button
        ref={button}
        type="button"
        class={classes.opener}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setShown('palette')}
        onPointerEnter={() => void load().catch(() => undefined)}
      >
        <Icon name="search" />
        <span>{say('palette_open')}</span>
        <kbd>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {shown === 'palette' && <Palette onClose={close} onShortcuts={() => setShown('shortcuts')} />}
      {shown === 'shortcuts' && <Shortcuts onClose={close} />}
    </>
  );
}

/** Ctrl-K works everywhere, also in inputs. A dialog that is open stays. */
function useOpeners(show: (what: 'palette' | 'shortcuts') => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isModified = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isModified || keyOf(event).toLowerCase() !== 'k') return;
      event.preventDefault();
      if (document.querySelector('dialog:modal') === null) show('palette');
    };
    const onShow = () => show('shortcuts');
    addEventListener('keydown', onKey);
    addEventListener(showShortcuts, onShow);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(showShortcuts, onShow);
    };
  }, [show]);
}
