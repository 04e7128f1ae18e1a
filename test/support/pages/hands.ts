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

/** Presses of the Tab key after which a control counts as unreachable. */
const mostTabs = 300;
/** Controls in a line of a grid at most. */
const mostInLine = 6;

/** Moves the focus as a person without a mouse does: a control that the Tab key does not reach is a failure. */
async function moveTo(target: Locator): Promise<void> {
  const page = target.page();
  await target.waitFor();
  for (let presses = 0; presses < mostTabs; presses++) {
    if (await hasFocus(target)) return;
    if (await target.evaluate(isInGridOfFocus)) return moveInGrid(target);
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key does not reach ${target}`);
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((control) => document.activeElement === control);

/** In a grid, the Tab key reaches one control, and the arrow keys reach the others. */
function isInGridOfFocus(control: Element): boolean {
  const grid = control.closest('table');
  return control.getAttribute('tabindex') === '-1' && grid !== null && grid.contains(document.activeElement);
}

/** Goes down the lines of a grid, and along each of them. */
async function moveInGrid(target: Locator): Promise<void> {
  const { keyboard: keys } = target.page();
  await keys.press('Control+Home');
  for (let line = 0; line < mostTabs; line++) {
    await keys.press('Home');
    for (let step = 0; step < mostInLine; step++) {
      if (await hasFocus(target)) return;
      await keys.press('ArrowRight');
    }
    await keys.press('ArrowDown');
  }
  throw new Error(`the arrow keys do not reach ${target}`);
}

/** The Tab key reaches one radio of a group only: the chosen one, or the first. Arrows choose the others. */
async function chooseRadio(target: Locator): Promise<void> {
  const group = await target.getAttribute('name');
  const { keyboard: keys } = target.page();
  const isIn = () =>
    target.evaluate((_, name) => document.activeElement?.getAttribute('name') === name, group);
  for (let presses = 0; presses < mostTabs && !(await isIn()); presses++) await keys.press('Tab');
  for (let presses = 0; presses < 20 && !(await target.isChecked()); presses++) await keys.press('ArrowDown');
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
