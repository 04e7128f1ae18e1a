/** Shortcuts of a single key can be switched off (WCAG 2.1.4), because speech input can press keys by mistake. */
export function hasShortcuts(): boolean {
  try {
    return localStorage.getItem('shortcuts') !== 'off';
  } catch {
    return true;
  }
}

/** Stores the choice for later pages, if the browser can. */
export function chooseShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem('shortcuts');
    else localStorage.setItem('shortcuts', 'off');
  } catch {
    // The choice cannot be stored; the shortcuts stay on.
  }
}

/** True if keys go to an input or a dialog. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'input:not([type=checkbox], [type=radio]), select, textarea, dialog *, dialog, [popover] *',
    ));

/** The key of a shortcut; undefined for keys that have another use. Letters are those of the Latin layout. */
export function shortcutOf(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return !hasShortcuts() || isTyping(event) ? undefined : keyOf(event);
}

/** The letter of a key in any layout, such as `k` for the key `л` of the Russian one. */
export function keyOf({ key, code }: KeyboardEvent): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter !== undefined && !/^[a-z]$/i.test(key) ? letter.toLowerCase() : key;
}
