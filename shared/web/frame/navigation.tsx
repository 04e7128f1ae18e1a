import type { JSX } from 'preact';
import classes from './frame.module.css';

export type NavigationItem = { href: string; text: string; isCurrent: boolean };

/** Links to the pages of a console, in the bar. */
export const Navigation = ({
  label,
  items,
}: {
  label: string;
  items: readonly NavigationItem[];
}): JSX.Element => (
  <nav class={classes.navigation} aria-label={label}>
    <ul>
      {items.map(({ href, text, isCurrent }) => (
        <li key={href}>
          <a href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
