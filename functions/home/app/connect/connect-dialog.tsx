import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { refusalText } from '../../../../shared/web/problems/problem-texts.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress as ProgressBar } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../shared/web/ui/overlays/dialog.tsx';
import type { Protocol } from '../services/card.tsx';
import type { Card } from '../services/cards.ts';
import { usePrefer, useRefresh } from '../services/use-services.ts';
import { say } from '../texts.ts';
import { connect, type Progress } from './connection.ts';
import { InstallHelp } from './install-help.tsx';

type ConnectDialogProps = { card: Card; protocol: Protocol | undefined; onClose: () => void };

/** Opens a workplace: shows why it cannot be used, how far its preparation is, or what was opened. */
export function ConnectDialog({ card, protocol, onClose }: ConnectDialogProps): JSX.Element {
  const [attempt, setAttempt] = useState(0);
  const progress = useConnection(card, protocol, attempt);
  const isOver = ['saved', 'linked', 'refused', 'failed'].includes(progress.phase);
  const canRepeat = ['failed', 'refused', 'linked'].includes(progress.phase);
  return (
    <Dialog
      title={card.service.name}
      onClose={onClose}
      actions={
        <>
          <Button look={isOver && !canRepeat ? 'main' : 'plain'} onClick={onClose}>
            {say(isOver ? 'close' : 'cancel')}
          </Button>
          {canRepeat && <Button onClick={() => setAttempt(attempt + 1)}>{say('again')}</Button>}
        </>
      }
    >
      <div aria-live="polite">
        <Phase progress={progress} />
      </div>
    </Dialog>
  );
}

/** A list that is read meanwhile does not start another connection. @param attempt a new number does */
function useConnection(card: Card, protocol: Protocol | undefined, attempt: number): Progress {
  const [progress, setProgress] = useState<Progress>({ phase: 'checking' });
  const refresh = useRefresh();
  const prefer = usePrefer();
  useEffect(() => {
    const ended = new AbortController();
    const wanted = { card, protocol: protocol ?? preferredOf(card), signal: ended.signal };
    void follow(wanted, setProgress).then(() => {
      const isNewChoice = protocol !== undefined && protocol !== card.service.launch;
      if (isNewChoice) prefer({ card, change: { launch: protocol } });
      else void refresh(card.site);
    });
    return () => ended.abort();
  }, [card.key, protocol, attempt]);
  return progress;
}

/** Shows each step, and opens what the last one offers. */
async function follow(wanted: Parameters<typeof connect>[0], show: (step: Progress) => void): Promise<void> {
  for await (const step of connect(wanted)) {
    if (wanted.signal.aborted) return;
    show(step);
    if (step.phase === 'saved') save(step);
    if (step.phase === 'linked') openLink(step.link);
  }
}

/** The protocol that the user chose last, if the service still offers it. */
function preferredOf({ service: { launch, protocols } }: Card): Protocol | undefined {
  return (launch === 'rdp' || launch === 'spice') && protocols.includes(launch) ? launch : undefined;
}

/** The browser saves the file, or opens it with the program for its type. */
function save({ file, address }: { file: string; address: string }): void {
  Object.assign(document.createElement('a'), { href: address, download: file }).click();
}

/** A page opens in a new tab. Any other scheme belongs to a program, which the browser starts from this page. */
function openLink(link: string): void {
  const isPage = link.startsWith('https:');
  Object.assign(document.createElement('a'), {
    href: link,
    ...(isPage && { target: '_blank', rel: 'noopener noreferrer' }),
  }).click();
}

function Phase({ progress }: { progress: Progress }): JSX.Element {
  switch (progress.phase) {
    case 'checking':
    case 'opening':
      return <Running text={say(progress.phase)} />;
    case 'waiting':
      return <Running text={progress.message ?? waitingText(progress.reason)} percent={progress.percent} />;
    case 'saved':
      return <Saved file={progress.file} address={progress.address} />;
    case 'linked':
      return <Linked link={progress.link} />;
    case 'refused':
      return (
        <Notice tone="warn" title={refusalText(progress.reason)}>
          {progress.message ?? say('refused_next')}
        </Notice>
      );
    case 'failed':
      return <ProblemNotice problem={progress.problem} about="workplace" />;
  }
}

/** Most waiting is for the preparation. */
const waitingText = (reason: string): string =>
  reason === 'preparing' ? say('waiting') : `${refusalText(reason)} …`;

const Running = ({ text, percent }: { text: string; percent?: number | undefined }): JSX.Element => (
  <>
    <p>{text}</p>
    <ProgressBar label={text} percent={percent} />
  </>
);

/** A link is valid once, so it is not offered again: the attempt can be repeated. */
const Linked = ({ link }: { link: string }): JSX.Element => {
  const isPage = link.startsWith('https:');
  return (
    <>
      <Notice tone="good" title={say(isPage ? 'linked_page_title' : 'linked_title')}>
        {say(isPage ? 'linked_page_text' : 'linked_text')}
      </Notice>
      {!isPage && <InstallHelp program="link" />}
    </>
  );
};

const Saved = ({ file, address }: { file: string; address: string }): JSX.Element => (
  <>
    <Notice tone="good" title={say('saved_title')}>
      {say('saved_text', { file })}{' '}
      <a href={address} download={file}>
        {say('save_again')}
      </a>
    </Notice>
    <InstallHelp program={file.endsWith('.vv') ? 'spice' : 'rdp'} />
  </>
);
