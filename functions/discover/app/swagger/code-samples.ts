import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import { copyButton } from './copy-button.ts';
import type { Component, DataMap, System } from './system.ts';

/** A member of `x-codeSamples`. */
type Sample = { label: string; source: string };

/** The samples of an operation, one language at a time. */
export function codeSamples({ React }: System): Component<{ extensions: DataMap }> {
  const h = React.createElement;
  const CopyButton = copyButton(React);
  return function CodeSamples({ extensions }) {
    const list = extensions.get('x-codeSamples') as DataMap | undefined;
    const samples = (list?.toJS() ?? []) as Sample[];
    const [chosen, choose] = React.useState(0);
    const sample = samples[chosen];
    if (!sample) return null;
    const tab = ({ label }: Sample, at: number) => {
      const state = { 'aria-pressed': at === chosen, onClick: () => choose(at) };
      return h('button', { key: label, type: 'button', className: 'plain', ...state }, label);
    };
    return h(
      'div',
      { className: 'code-samples' },
      h('h4', { lang: facts.language }, say('samples')),
      h('div', { className: 'languages' }, samples.map(tab)),
      h('pre', { tabIndex: 0 }, sample.source),
      h(CopyButton, { text: sample.source, label: 'copy_sample' }),
    );
  };
}
