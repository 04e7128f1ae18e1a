import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { facts } from '../facts.ts';
import classes from '../signin.module.css';

type StepProps = { heading: string; hint?: string; children: ComponentChildren };

/**
 * One step of the sign-in. When it appears, its first field gets the focus, or its heading, so that screen readers read
 * it out.
 */
export function Step({ heading, hint, children }: StepProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const fields = place.current?.querySelectorAll<HTMLElement>('input:not([type="hidden"], [readonly])');
    (fields?.[0] ?? place.current?.querySelector<HTMLElement>('h1'))?.focus();
  }, []);
  useEffect(() => {
    document.title = `${heading} – ${facts.site_name}`;
  }, [heading]);
  return (
    <div class={classes.step} ref={place}>
      <header class={classes.header}>
        {facts.logo !== '' && <img class={classes.logo} src={facts.logo} alt="" />}
        <p class={classes.site}>{facts.site_name}</p>
        <h1 id="heading" tabIndex={-1}>
          {heading}
        </h1>
        {hint !== undefined && (
          <p id="hint" class={classes.quiet}>
            {hint}
          </p>
        )}
      </header>
      {facts.login_text !== '' && <p class={classes.text}>{facts.login_text}</p>}
      {children}
    </div>
  );
}
