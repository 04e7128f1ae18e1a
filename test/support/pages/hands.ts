import type { Tab } from '../../e2e/support/browser.ts';

type Page = Tab['page'];
type Locator = ReturnType<Page['locator']>;

/** How a person operates a page. */
export type Hand = {
  /** Activates a button, link, box or summary. */
  press(target: Locator): Promise<void>;
  /** Replaces the text of an input. */
  type(target: Locator, text: string): Promise<void>;
  /** Chooses an option of a list of the browser by its text. */
  choose(target: Locator, option: string): Promise<void>;
  /** Types into a combobox, and takes the first match with this text. */
  pick(target: Locator, text: string): Promise<void>;
  /** Gives a file to an input, from the dialog of the browser. */
  attach(target: Locator, file: AttachedFile): Promise<void>;
};

type AttachedFile = { name: string; mimeType: string; buffer: Buffer };

/** @param open what opens the dialog of the browser */
async function chooseFile(target: Locator, file: AttachedFile, open: () => Promise<void>): Promise<void> {
  const chooser = target.page().waitForEvent('filechooser');
  // The browser handles commands in order: it now intercepts its dialog.
  await target.evaluate(() => undefined);
  await open();
  await (await chooser).setFiles(file);
}

export const mouse: Hand = {
  press: (target) => target.click(),
  type: (target, text) => target.fill(text),
  choose: async (target, option) => {
    await target.selectOption({ label: option });
  },
  pick: async (target, text) => {
    await target.fill(text);
    await target.page().getByRole('option').filter({ hasText: text }).first().click();
  },
  attach: (target, file) => chooseFile(target, file, () => target.click()),
};

/** Presses of the Tab key, or lines of a grid, after which a control counts as unreachable. */
const mostSteps = 300;
/** Presses that are sent without waiting for each of them. */
const burst = 20;
/** Controls in a line of a grid at most. */
const mostInLine = 6;

type Place = 'away' | 'in its grid' | 'at it';

/**
 * Looks where the focus is, from a control. In a grid, the Tab key reaches one control, and the arrow keys reach the others; of a
 * group of radios, it reaches the chosen one, or the first. Until `end`, keys that are pressed at a place that ends the way do
 * nothing, so that a burst of keys ends there.
 */
function watchFocus(control: Element, ends: readonly Place[]): { place(): Place; end(): Place } {
  const place = (): Place => {
    const { activeElement: focused } = document;
    const name = control.getAttribute('type') === 'radio' ? control.getAttribute('name') : null;
    if (focused === control || (name !== null && focused?.getAttribute('name') === name)) return 'at it';
    const grid = control.getAttribute('tabindex') === '-1' ? control.closest('table') : null;
    return grid?.contains(focused) ? 'in its grid' : 'away';
  };
  const hold = (event: KeyboardEvent) => {
    if (!ends.includes(place())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('keydown', hold, true);
  return {
    place,
    end: () => {
      removeEventListener('keydown', hold, true);
      return place();
    },
  };
}

/** Presses keys until the focus is at one of the places. @returns where it is afterwards */
async function pressUntil(target: Locator, ends: readonly Place[], keys: readonly string[]): Promise<Place> {
  const watched = await target.evaluateHandle(watchFocus, ends);
  const { keyboard: pressed } = target.page();
  if (!ends.includes(await watched.evaluate((watch) => watch.place())))
    await Promise.all(keys.map((key) => pressed.press(key)));
  const place = await watched.evaluate((watch) => watch.end());
  await watched.dispose();
  return place;
}

/** Moves the focus as a person without a mouse does: a control that the Tab key does not reach is a failure. */
async function moveTo(target: Locator): Promise<void> {
  await target.waitFor();
  const keys = new Array<string>(burst).fill('Tab');
  for (let presses = 0; presses < mostSteps; presses += burst) {
    const place = await pressUntil(target, ['at it', 'in its grid'], keys);
    if (place === 'at it') return;
    if (place === 'in its grid') return moveInGrid(target);
  }
  throw new Error(`the Tab key does not reach ${target}`);
}

/** Goes down the lines of a grid, and along each of them. */
async function moveInGrid(target: Locator): Promise<void> {
  await target.page().keyboard.press('Control+Home');
  const line = ['Home', ...new Array<string>(mostInLine).fill('ArrowRight'), 'ArrowDown'];
  const keys = new Array<string[]>(burst).fill(line).flat();
  for (let lines = 0; lines < mostSteps; lines += burst)
    if ((await pressUntil(target, ['at it'], keys)) === 'at it') return;
  throw new Error(`the arrow keys do not reach ${target}`);
}

/** Arrows choose a radio of the group that the Tab key reaches. */
async function chooseRadio(target: Locator): Promise<void> {
  await moveTo(target);
  for (let presses = 0; presses < burst && !(await target.isChecked()); presses++)
    await target.page().keyboard.press('ArrowDown');
  if (!(await target.isChecked())) throw new Error(`the keyboard does not choose ${target}`);
}

export const keyboard: Hand = {
  press: async (target) => {
    if (await target.evaluate((control) => control.matches('[type=radio]'))) return chooseRadio(target);
    await moveTo(target);
    const isBox = await target.evaluate((control) => control.matches('[type=checkbox], [role=switch]'));
    await target.page().keyboard.press(isBox ? 'Space' : 'Enter');
  },
  type: async (target, text) => {
    await moveTo(target);
    const { keyboard: keys } = target.page();
    await keys.press('ControlOrMeta+A');
    await (text === '' ? keys.press('Delete') : keys.insertText(text));
  },
  choose: async (target, option) => {
    await moveTo(target);
    // Typing selects the option that begins with the text, without opening the list.
    await target.page().keyboard.type(option);
  },
  pick: async (target, text) => {
    await moveTo(target);
    const page = target.page();
    await page.keyboard.insertText(text);
    const option = page.getByRole('option').filter({ hasText: text }).first();
    await option.waitFor();
    const isChosen = () => option.evaluate((one) => one.getAttribute('aria-selected') === 'true');
    for (let presses = 0; presses < 20 && !(await isChosen()); presses++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  },
  attach: async (target, file) => {
    await moveTo(target);
    await chooseFile(target, file, () => target.page().keyboard.press('Space'));
  },
};
