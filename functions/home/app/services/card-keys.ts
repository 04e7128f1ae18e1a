/** The attribute of the buttons between which the arrow keys move. */
export const connectButton = { 'data-connect': true };

const buttonsIn = (grid: ParentNode): HTMLElement[] => [
  ...grid.querySelectorAll<HTMLElement>('[data-connect]'),
];

/** Moves the focus to the first card, from the search. */
export const focusFirst = (grid: ParentNode): void => buttonsIn(grid)[0]?.focus();

/** Moves the focus between the cards of a grid by an arrow key. Enter then connects. */
export function moveByArrow(event: KeyboardEvent, grid: HTMLElement): void {
  const buttons = buttonsIn(grid);
  const at = event.target instanceof HTMLElement ? buttons.indexOf(event.target) : -1;
  if (at < 0) return;
  const next = buttons[at + stepOf(event.key, columnsOf(buttons))];
  if (!next || next === event.target) return;
  event.preventDefault();
  next.focus();
}

/** How far an arrow key moves, in cards. */
export function stepOf(key: string, columns: number): number {
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
  };
  return steps[key] ?? 0;
}

/** Number of cards beside each other in the first row. */
function columnsOf(buttons: readonly HTMLElement[]): number {
  const tops = buttons.map((button) => button.closest('li')?.offsetTop ?? 0);
  return Math.max(1, tops.filter((top) => top === tops[0]).length);
}
