import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageFacts } from '../client/facts.ts';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Notice } from '../ui/feedback/feedback.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { Footer } from './footer.tsx';
import classes from './frame.module.css';
import { useOnline } from './online.ts';
import { useSessionEnd } from './session-end.ts';
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
      <EndedSession />
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

/** Opens the sign-in page, which leads back to the same place. The part after `#` stays in the browser. */
const signInAgain = (): void =>
  location.assign(`/signin?next=${encodeURIComponent(location.pathname)}${location.hash}`);

const SignInButton = (): JSX.Element => <Button onClick={signInAgain}>{frameText('sign_in_again')}</Button>;

/**
 * The page stays as it is behind the dialog, so that nothing typed is lost. A closed dialog leaves a notice. Both disappear
 * when the user has signed in in another tab.
 */
function EndedSession(): JSX.Element | null {
  const hasEnded = useSessionEnd();
  const [isNoted, setNoted] = useState(false);
  useEffect(() => setNoted(false), [hasEnded]);
  if (!hasEnded) return null;
  if (isNoted)
    return (
      <div class={classes.ended}>
        <Notice tone="warn" title={frameText('ended_title')} actions={<SignInButton />}>
          {frameText('ended_text')}
        </Notice>
      </div>
    );
  return (
    <Dialog title={frameText('ended_title')} onClose={() => setNoted(true)} actions={<SignInButton />}>
      <p>{frameText('ended_text')}</p>
    </Dialog>
  );
}
