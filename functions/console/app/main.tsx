import '../../../shared/web/styles/frame.css';
import '../../../shared/web/styles/page.css';
import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { ConsolePage } from './page.tsx';

const queries = new QueryClient({
  defaultOptions: {
    // The client of the portal repeats what may be repeated.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
  },
});

const place = document.getElementById('app');
if (place)
  render(
    <QueryClientProvider client={queries}>
      <ConsolePage />
    </QueryClientProvider>,
    place,
  );
