import '../../../shared/web/styles/frame.css';
import '../../../shared/web/styles/page.css';
import './styles/reference.css';
import './styles/operations.css';
import { render } from 'preact';
import { DocsPage } from './page.tsx';

const place = document.getElementById('app');
if (place) render(<DocsPage />, place);
