import '../../../shared/web/styles/frame.css';
import '../../../shared/web/styles/page.css';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
// Styles of parts that are loaded later are in the style of the page.
import '../../../shared/web/credentials/credentials.module.css';
import '../../../shared/web/account/account.module.css';
import '../../../shared/web/account/tokens/rights.module.css';
import './account.module.css';
import { noteAnswer, noteFailure, registerWorker } from './offline/register.ts';
import { HomePage } from './page.tsx';

const queries = new QueryClient({
  queryCache: new QueryCache({ onSuccess: noteAnswer, onError: noteFailure }),
  defaultOptions: {
    // The client of the portal repeats what may be repeated.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always', refetchOnReconnect: true },
  },
});

const place = document.getElementById('app');
if (place)
  render(
    <QueryClientProvider client={queries}>
      <HomePage />
    </QueryClientProvider>,
    place,
  );

registerWorker();
