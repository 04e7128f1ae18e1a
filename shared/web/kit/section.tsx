import type { ComponentChildren, JSX } from 'preact';
import classes from './kit.module.css';

/** A group of components, under its name in the code. */
export const Section = ({ name, children }: { name: string; children: ComponentChildren }): JSX.Element => (
  <section class={classes.section} id={name}>
    <h2 lang="en">{name}</h2>
    {children}
  </section>
);

/** Components side by side. */
export const Row = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <div class={classes.row}>{children}</div>
);
