import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { frameText } from '../../../../shared/web/text/texts.ts';
import { Icon } from '../../../../shared/web/ui/controls/icon.tsx';
import { useKinds } from '../records/kinds.ts';
import { open } from '../router/place.ts';
import { say } from '../texts.ts';
import {
  actionEntries,
  type Entry,
  type EntryGroup,
  filled,
  matching,
  pageEntries,
  recentEntries,
} from './entries.ts';
import { type FoundGroups, useFound } from './found.ts';
import classes from './palette.module.css';

const listId = 'palette-list';
const idOf = (at: number): string => `palette-${at}`;
const mostOfPage = 6;

export type PaletteProps = { onClose: () => void; onShortcuts: () => void };

/** Finds every object, page and action that the user may use (pattern "combobox with a listbox" of ARIA). */
export function Palette(props: PaletteProps): JSX.Element {
  const [text, setText] = useState('');
  const found = useFound(useKinds() ?? [], text);
  const groups = useGroups(text, found, props);
  const { at, choose, onKeyDown, restart } = useChoice(groups, props);
  const count = groups.flatMap(({ entries }) => entries).length;
  return (
    <Sheet onClose={props.onClose}>
      <SearchInput
        text={text}
        active={count > 0 ? idOf(at) : undefined}
        onText={(typed) => {
          setText(typed);
          restart();
        }}
        onKeyDown={onKeyDown}
      />
      <List groups={groups} at={at} onChoose={choose} />
      <p class={classes.state} role="status">
        {stateText(text, found, count)}
      </p>
      <p class={classes.keys} aria-hidden="true">
        {say('palette_keys')}
      </p>
    </Sheet>
  );
}

/** The entry that the arrow keys have reached. It stays the same while further entries arrive. */
function useChoice(groups: readonly EntryGroup[], { onClose }: PaletteProps) {
  const entries = groups.flatMap((group) => group.entries);
  const [chosen, setChosen] = useState<string>();
  const reached = entries.findIndex(({ key }) => key === chosen);
  const at = Math.max(0, reached);
  const choose = (entry: Entry | undefined, isNewTab: boolean) => {
    if (!entry) return;
    if (!isNewTab) onClose();
    use(entry, isNewTab);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') choose(entries[at], event.ctrlKey || event.metaKey);
    else if (event.key in steps) setChosen(entries[next(event.key, at, entries.length)]?.key);
    else return;
    event.preventDefault();
  };
  return { at, choose, onKeyDown, restart: () => setChosen(undefined) };
}

/** Opens a place, or runs an action. */
function use(entry: Entry, isNewTab: boolean): void {
  if (!('href' in entry)) entry.run();
  else if (isNewTab) window.open(entry.href, '_blank', 'noopener');
  else open(entry.href);
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** Single steps go around the ends. */
function next(key: string, at: number, count: number): number {
  const step = steps[key] ?? 0;
  if (Math.abs(step) === 1) return (at + step + count) % Math.max(1, count);
  return Math.max(0, Math.min(count - 1, at + step));
}

function useGroups(text: string, found: FoundGroups, { onShortcuts }: PaletteProps): EntryGroup[] {
  const kinds = useKinds() ?? [];
  const pages = { title: say('palette_pages'), entries: pageEntries(kinds) };
  const actions = { title: say('palette_actions'), entries: actionEntries(kinds, { onShortcuts }) };
  if (text.trim() === '')
    return filled([{ title: say('palette_recent'), entries: recentEntries(kinds) }, pages, actions]);
  const limited = ({ title, entries }: EntryGroup): EntryGroup => ({
    title,
    entries: matching(entries, text).slice(0, mostOfPage),
  });
  return filled([limited(pages), ...found.groups, limited(actions)]);
}

function stateText(text: string, { isLoading, hasFailed }: FoundGroups, count: number): string {
  if (text.trim() === '') return '';
  if (isLoading) return frameText('searching');
  if (hasFailed) return frameText('unreachable');
  return count === 0 ? frameText('nothing_found') : '';
}

function Sheet({ onClose, children }: { onClose: () => void; children: JSX.Element[] }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key closes it as well
    <dialog
      ref={dialog}
      class={classes.dialog}
      aria-label={say('palette_title')}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div class={classes.sheet}>{children}</div>
    </dialog>
  );
}

type SearchInputProps = {
  text: string;
  active: string | undefined;
  onText: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

const SearchInput = ({ text, active, onText, onKeyDown }: SearchInputProps): JSX.Element => (
  <div class={classes.search}>
    <Icon name="search" />
    <input
      role="combobox"
      autocomplete="off"
      spellcheck={false}
      maxLength={128}
      aria-label={say('palette_title')}
      aria-expanded={active !== undefined}
      aria-controls={listId}
      aria-autocomplete="list"
      {...(active !== undefined && { 'aria-activedescendant': active })}
      placeholder={say('palette_placeholder')}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  </div>
);

type ListProps = {
  groups: readonly EntryGroup[];
  /** The entry that the arrow keys have reached. */
  at: number;
  onChoose: (entry: Entry, isNewTab: boolean) => void;
};

function List({ groups, at, onChoose }: ListProps): JSX.Element {
  let index = -1;
  return (
    <div id={listId} class={classes.list} role="listbox" aria-label={say('palette_title')}>
      {groups.map(({ title, entries }, group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
        <div key={title} role="group" aria-labelledby={`palette-group-${group}`}>
          <div id={`palette-group-${group}`} class={classes.title} role="presentation">
            {title}
          </div>
          {entries.map((entry) => {
            index += 1;
            return (
              <Item
                key={entry.key}
                id={idOf(index)}
                entry={entry}
                isActive={index === at}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

type ItemProps = { id: string; entry: Entry; isActive: boolean; onChoose: ListProps['onChoose'] };

function Item({ id, entry, isActive, onChoose }: ItemProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the input
    <div
      ref={place}
      id={id}
      role="option"
      class={classes.option}
      aria-selected={isActive}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => onChoose(entry, event.ctrlKey || event.metaKey)}
      onAuxClick={(event) => event.button === 1 && onChoose(entry, true)}
    >
      <Icon name={entry.icon} />
      <span class={classes.name}>{entry.text}</span>
      {entry.within !== undefined && <span class={classes.within}>{entry.within}</span>}
    </div>
  );
}
