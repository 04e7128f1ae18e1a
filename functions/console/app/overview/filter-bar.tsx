import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Icon } from '../../../../shared/web/ui/controls/icon.tsx';
import { say } from '../texts.ts';
import type { Filter } from './fleet.ts';
import classes from './overview.module.css';

type FilterBarProps = { filter: Filter; onFilter: (filter: Filter) => void };

/** The key `/` moves the focus to the text from anywhere on the page. */
export function FilterBar({ filter, onFilter }: FilterBarProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  // As soon as the field is shown, so that no key is lost.
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input, select, textarea, dialog *');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <search class={classes.filter}>
      <div class={classes.field}>
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label={say('filter')}
          aria-keyshortcuts="/"
          placeholder={say('filter')}
          value={filter.text}
          maxLength={100}
          onInput={({ currentTarget }) => onFilter({ ...filter, text: currentTarget.value })}
        />
      </div>
      <Button
        look="plain"
        aria-pressed={filter.onlyFailing}
        onClick={() => onFilter({ ...filter, onlyFailing: !filter.onlyFailing })}
      >
        {say('only_failing')}
      </Button>
    </search>
  );
}
