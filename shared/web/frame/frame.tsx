import type { ComponentChildren, JSX } from 'preact';
import type { PageFacts } from '../client/facts.ts';
import { frameText } from '../text/texts.ts';
import { Notice } from '../ui/feedback/feedback.tsx';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { Footer } from './footer.tsx';
import classes from './frame.module.css';
import { useOnline } from './online.ts';
import { SessionNotice } from './session-notice.tsx';
import { UserMenu } from './user-menu.tsx';

type FrameProps = {
  facts: PageFacts;
  /** The address of the first page. */
  home: string;
  /** Items of the menu of the user, before those of every page. */
  menu?: ComponentChildren;
  /** Links to the pages, beside the name of the portal. */
  navigation?: ComponentChildren;
  /** The content uses the whole width of the window. */
  isWide?: boolean;
  /** In the middle of the bar. */
  tools?: ComponentChildren;
  children: ComponentChildren;
};

/** The bar, the content and the footer of every page. */
export const Frame = ({
  facts,
  home,
  menu,
  navigation,
  isWide = false,
  tools,
  children,
}: FrameProps): JSX.Element => (
  <div class={classes.page}>
    <a class={classes.skip} href="#content">
      {frameText('skip')}
    </a>
    <header class={`${classes.bar} ${navigation === undefined ? '' : classes.navigated}`}>
      <a class={classes.brand} href={home}>
        {facts.logo !== '' && <img src={facts.logo} alt="" />}
        <span>{facts.site_name}</span>
      </a>
      {navigation ?? <div class={classes.tools}>{tools}</div>}
      <UserMenu facts={facts}>{menu}</UserMenu>
    </header>
    <main id="content" class={`${classes.content} ${isWide ? classes.wide : ''}`} tabIndex={-1}>
      <NoNetwork />
      <SessionNotice facts={facts} />
      {children}
    </main>
    <Footer facts={facts} />
    <Toasts />
  </div>
);

/** What the browser itself reports. A portal that does not answer is noticed by each part of the page. */
function NoNetwork(): JSX.Element {
  const isOnline = useOnline();
  return (
    <div class={classes.network} role="status">
      {!isOnline && (
        <Notice tone="warn" title={frameText('no_network')}>
          {frameText('no_network_text')}
        </Notice>
      )}
    </div>
  );
}
