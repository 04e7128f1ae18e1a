import { callOf, type Document } from './call.ts';
import { curlSample, pythonSample, typescriptSample } from './languages.ts';

type Sample = { lang: string; label: string; source: string };

/** Returns the samples of an operation in curl, TypeScript and Python, in the form of `x-codeSamples`. */
export function samplesOf(document: Document, path: string, method: string): Sample[] {
  const call = callOf(document, path, method);
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(call) },
    { lang: 'Python', label: 'Python', source: pythonSample(call) },
  ];
}
