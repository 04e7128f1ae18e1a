import { facts } from '../facts.ts';
import { say } from '../texts.ts';

const fields = ':is(input, select, textarea):not([aria-label])';

/** Adds missing accessible names, and makes scrollable areas reachable by keyboard. */
function nameFields(reference: HTMLElement): void {
  for (const field of reference.querySelectorAll<HTMLElement>(fields)) {
    const parameter = field.closest<HTMLElement>('[data-param-name]')?.dataset.paramName;
    field.setAttribute('aria-label', parameter ?? say('body'));
    if (parameter === undefined) field.lang = facts.language;
  }
  // The page already has a main landmark that contains this element.
  reference.querySelector('main')?.setAttribute('role', 'none');
  for (const box of reference.querySelectorAll<HTMLElement>('pre:not([tabindex])')) box.tabIndex = 0;
}

/** The filter has the words of Swagger UI, which searches tags only. */
function nameFilter(reference: HTMLElement): void {
  const filter = reference.querySelector<HTMLInputElement>('.operation-filter-input:not([aria-label])');
  if (!filter) return;
  filter.placeholder = say('filter');
  filter.setAttribute('aria-label', say('filter'));
  filter.lang = facts.language;
}

/** Names the fields of Swagger UI, also those that it shows later. */
export function nameAllFields(reference: HTMLElement): void {
  const name = (): void => {
    nameFilter(reference);
    nameFields(reference);
  };
  new MutationObserver(name).observe(reference, { childList: true, subtree: true });
}
