import '../../../shared/web/styles/frame.css';
import '../../../shared/web/styles/page.css';
import { render } from 'preact';
import { SignInPage } from './page.tsx';

const place = document.getElementById('app');
if (place) render(<SignInPage />, place);
