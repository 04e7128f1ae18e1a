import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import type { Kind } from '../records/kinds.ts';
import { addressOf, usePlace } from '../router/place.ts';
import { say } from '../texts.ts';
import { type Link, linkGroups } from './links.ts';
import classes from './shell.module.css';

/** The pages that the user may open. In a narrow window a button opens them. */
export function SideBar({ kinds }: { kinds: readonly Kind[] | undefined }): JSX.Element {
  const { segments } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const current = segments[0] ?? '';
  // A chosen page closes the list of pages.
  useEffect(() => setOpen(false), [segments.join('/')]);
  return (
    <div class={classes.side}>
      <div class={classes.opener}>
        <Button look="plain" icon="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {say('pages')}
        </Button>
      </div>
      <nav class={`${classes.pages} ${isOpen ? classes.opened : ''}`} aria-label={say('navigation')}>
        {linkGroups(kinds).map(({ title, links }) => (
          <section key={title}>
            {title !== '' && <h2>{title}</h2>}
            <ul>
              {links.map((link) => (
                <li key={link.segment}>
                  <PageLink link={link} isCurrent={link.segment === current} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </div>
  );
}

function PageLink({ link: { segment, text }, isCurrent }: { link: Link; isCurrent: boolean }): JSX.Element {
  const place = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <a
      ref={place}
      href={segment === '' ? '#/' : addressOf([segment])}
      {...(isCurrent && { 'aria-current': 'page' as const })}
    >
      {text}
    </a>
  );
}
