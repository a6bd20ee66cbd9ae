import { render } from 'preact';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/parts.css';
import './styles/pages.css';
import './styles/listings.css';

render(<App />, document.getElementById('app')!);
