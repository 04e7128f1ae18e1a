import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { facts } from '../facts.ts';
import { type DocsText, say } from '../texts.ts';
import type { Component, React } from './system.ts';

type CopyProps = { text: string; label: DocsText };

/** A button that copies a text, and then says so in its place. */
export const copyButton =
  ({ createElement, useState }: React): Component<CopyProps> =>
  ({ text, label }) => {
    const [copied, setCopied] = useState('');
    const copy = (): void => {
      navigator.clipboard.writeText(text).then(
        () => setCopied(text),
        () => toast(say('not_copied'), { isFault: true }),
      );
    };
    return createElement(
      'button',
      { type: 'button', className: 'plain copy', lang: facts.language, onClick: copy },
      say(copied === text ? 'copied' : label),
    );
  };
