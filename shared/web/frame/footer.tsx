import type { ComponentChildren, JSX } from 'preact';
import type { PublicPageFacts } from '../client/facts.ts';
import { frameText } from '../text/texts.ts';
import classes from './footer.module.css';

type FooterProps = {
  facts: PublicPageFacts;
  /** Further links. */
  children?: ComponentChildren;
};

/** The texts and links of the branding. It is absent if it would be empty. */
export function Footer({ facts, children }: FooterProps): JSX.Element | null {
  const { footer_text, copyright, copyright_link, support_link } = facts;
  if (!footer_text && !copyright && !support_link && !children) return null;
  return (
    <footer class={classes.footer}>
      {footer_text && <p>{footer_text}</p>}
      <p>
        {copyright &&
          (copyright_link ? (
            <ExternalLink href={copyright_link}>{copyright}</ExternalLink>
          ) : (
            <span>{copyright}</span>
          ))}
        {support_link && <ExternalLink href={support_link}>{frameText('support')}</ExternalLink>}
        {children}
      </p>
    </footer>
  );
}

const ExternalLink = ({ href, children }: { href: string; children: ComponentChildren }): JSX.Element => (
  <a href={href} rel="noreferrer">
    {children}
  </a>
);
