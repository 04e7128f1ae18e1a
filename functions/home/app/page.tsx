import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Frame } from '../../../shared/web/frame/frame.tsx';
import { Notice, Skeleton } from '../../../shared/web/ui/feedback/feedback.tsx';
import { AccountLink, account } from './account-link.tsx';
import { facts } from './facts.ts';
import { ServicesPage } from './services/services-page.tsx';
import { say } from './texts.ts';

/** The workplaces, or the account, whose code is loaded when it is opened. */
export function HomePage(): JSX.Element {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const note = () => setHash(location.hash);
    // The address can have changed since the first drawing.
    note();
    addEventListener('hashchange', note);
    return () => removeEventListener('hashchange', note);
  }, []);
  return hash === account ? <LoadedAccount /> : <ServicesPage />;
}

type Loaded = ComponentType | 'failed' | undefined;

function LoadedAccount(): JSX.Element {
  const [Account, setAccount] = useState<Loaded>();
  useEffect(() => {
    import('./account.tsx').then(
      (loaded) => setAccount(() => loaded.Account),
      () => setAccount('failed'),
    );
  }, []);
  return (
    <Frame facts={facts} home="/home/" menu={<AccountLink />}>
      {Account === undefined && <Skeleton height="20rem" />}
      {Account === 'failed' && <Notice tone="bad" title={say('unreachable')} isAlert={true} />}
      {Account !== undefined && Account !== 'failed' && <Account />}
    </Frame>
  );
}
