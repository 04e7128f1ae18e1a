import '../../../../shared/web/styles/frame.css';
import './page.css';
import { applyScheme, currentScheme } from '../../../../shared/web/frame/preferences.ts';
import { clockText, durationText, momentText } from '../../../../shared/web/text/moments.ts';
import { say } from '../texts.ts';
import { attemptsName, pauseMs } from './attempts.ts';
import { readState } from './state.ts';

/** Milliseconds after which an attempt has failed. */
const timeLimitMs = 8_000;
const dayMs = 86_400_000;

let nextAt = 0;
let isTrying = false;

/** Before the page is shown. Its policy allows no styles in it. */
function applyColors(): void {
  const { style, dataset } = document.documentElement;
  const { accent = '', onAccent = '', onLight = '', onDark = '' } = dataset;
  style.setProperty('--accent', accent);
  style.setProperty('--on-accent', onAccent);
  style.setProperty('--accent-text', `light-dark(${onLight}, ${onDark})`);
  applyScheme(currentScheme());
}

function start(): void {
  const again = byId('again');
  again.hidden = false;
  again.addEventListener('click', () => void attempt(true));
  addEventListener('online', () => void attempt(true));
  addEventListener('offline', () => void show());
  // Browsers slow down the timers of hidden pages.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() > nextAt) void attempt(false);
  });
  plan();
  void show();
  setInterval(() => void tick(), 1_000);
}

async function tick(): Promise<void> {
  if (Date.now() >= nextAt) await attempt(false);
  await show();
}

/** @param isWanted by the user: the result is announced */
async function attempt(isWanted: boolean): Promise<void> {
  if (isTrying) return;
  isTrying = true;
  if (isWanted) byId('state').textContent = say('offline_trying');
  await show();
  if (await answers()) return open();
  isTrying = false;
  plan();
  if (isWanted) byId('state').textContent = say('offline_failed');
  await show();
}

/** Opens what was requested, with its fragment. This page has an address of its own, too. */
function open(): void {
  if (location.pathname === '/home/offline') location.replace('/home/');
  else location.reload();
}

/** A probe of load balancers: it needs neither a session nor the database, and has no rate limit. */
async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeLimitMs);
    return (await fetch('/livez', { cache: 'no-store', credentials: 'omit', signal })).ok;
  } catch {
    return false;
  }
}

/** The number of attempts outlasts the page: it may be opened again because only the probe is answered. */
function plan(): void {
  const attempts = Number(sessionStorage.getItem(attemptsName));
  sessionStorage.setItem(attemptsName, String(attempts + 1));
  nextAt = Date.now() + pauseMs(attempts);
}

async function show(): Promise<void> {
  const { failedAt } = await readState();
  byId('device').hidden = navigator.onLine;
  byId('next').textContent = isTrying
    ? say('offline_trying')
    : say('offline_next', { age: durationText(Math.max(0, nextAt - Date.now())) });
  byId('since').hidden = failedAt === undefined;
  if (failedAt === undefined) return;
  const passed = Date.now() - failedAt;
  const moment = new Date(failedAt);
  const time = passed < dayMs ? clockText(moment) : momentText(moment.toISOString());
  byId('since').textContent = say('offline_since', { time, age: durationText(passed) });
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

applyColors();
document.addEventListener('DOMContentLoaded', start);
