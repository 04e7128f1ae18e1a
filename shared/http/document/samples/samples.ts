import { callOf, type Document } from './call.ts';
import { curlSample, pythonSample, typescriptSample } from './languages.ts';

type Sample = { lang: string; label: string; source: string };

/** The samples of an operation of the document in curl, TypeScript and Python, as `x-codeSamples` has them. */
export function samplesOf(document: Document, path: string, method: string): Sample[] {
  const call = callOf(document, path, method);
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(call) },
    { lang: 'Python', label: 'Python', source: pythonSample(call) },
  ];
}
