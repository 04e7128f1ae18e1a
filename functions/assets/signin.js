const { facts, say, send, call, signOut } = globalThis.portal;
const at = (id) => document.getElementById(id);
const steps = [...document.querySelectorAll('[data-step]')];

/** State of the current sign-in. The password is cleared as soon as it ends. */
let attempt = {};
let countdown;
/** Shows one step and announces it to screen readers. */
function show(id, heading, hint, values) {
  hideProblem();
  for (const step of steps) step.hidden = step.id !== id;
  at('heading').textContent = say(heading);
  at('hint').textContent = hint ? say(hint, values) : '';
  at('hint').hidden = !hint;
  const first = [...at(id).querySelectorAll('input')].find(
    ({ offsetParent, readOnly }) => offsetParent !== null && !readOnly,
  );
  (first ?? at('heading')).focus();
}

function hideProblem() {
  clearInterval(countdown);
  at('problem').hidden = true;
  // A lock applies to one account; another account can be tried immediately.
  for (const button of document.querySelectorAll('form [type=submit]')) button.disabled = false;
  for (const field of document.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
}

function tell(text, field) {
  at('problem').textContent = text;
  at('problem').hidden = false;
  if (!field) return;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', 'problem');
  field.focus();
}

/** The field that receives the focus after a rejected form. */
const wrongFields = { credentials: 'password', factor: 'code', change: 'new' };

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** Shows why a request was rejected and, if waiting helps, a countdown to the next possible attempt. */
function tellProblem(problem, form) {
  const isCode = form.id === 'factor' && problem.code === 'invalid_credentials';
  const code = isCode ? 'invalid_code' : (problem.code ?? 'unreachable');
  const key = facts.texts[code] ? code : 'internal';
  // For codes without a text of this page, the text of the API is shown, which is in the same language.
  if (key !== code && problem.title) return tell(`${problem.title}.`, at(wrongFields[form.id]));
  if (!(problem.retryAfter > 0)) return tell(say(key), at(wrongFields[form.id]));
  const until = Date.now() + problem.retryAfter * 1000;
  const submit = form.querySelector('[type=submit]');
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    submit.disabled = left > 0;
    if (left > 0) return countDown(say(key, { time: minutes(left) }));
    clearInterval(countdown);
    tell(say('unlocked'));
  };
  clearInterval(countdown);
  tell(say(key, { time: minutes(problem.retryAfter) }));
  countdown = setInterval(tick, 1000);
  tick();
}

/** The remaining time is displayed every second and announced once. */
function countDown(text) {
  at('problem').setAttribute('aria-live', 'off');
  at('problem').textContent = text;
}

/** Does the work of a form while its button is busy. */
async function during(form, work) {
  hideProblem();
  at('problem').removeAttribute('aria-live');
  const submit = form.querySelector('[type=submit]');
  const label = submit.textContent;
  submit.disabled = true;
  submit.textContent = say('working');
  try {
    await work();
    submit.disabled = false;
  } catch (problem) {
    submit.disabled = false;
    tellProblem(problem, form);
  } finally {
    submit.textContent = label;
  }
}

async function signIn(form, more) {
  await during(form, async () => {
    const answer = await send('POST', '/signin', { ...attempt, ...more });
    if (answer.result === 'challenge') return askFactor(answer);
    const { name: login, real_name: name, portal, must_change_password: mustChange } = answer.user;
    facts.user = { login, name: name || login, portal, mustChange };
    attempt = {};
    at('password').value = '';
    if (answer.recovery_codes) return showCodes(answer.recovery_codes);
    goOn();
  });
}

/** A QR code with the quiet zone that readers need. */
function pictureOf(text) {
  const code = globalThis.qrcode(0, 'M');
  code.addData(text);
  code.make();
  return `data:image/svg+xml,${encodeURIComponent(code.createSvgTag({ scalable: true, margin: 4 }))}`;
}

function askFactor({ challenge_id, enrolment }) {
  attempt.challenge_id = challenge_id;
  at('enrolment').hidden = !enrolment;
  at('recovery').hidden = Boolean(enrolment);
  at('code').value = '';
  useRecovery(false);
  if (!enrolment) return show('factor', 'factor_heading', 'factor_hint', { user: attempt.username });
  at('qr').src = pictureOf(enrolment.otpauth_uri);
  at('secret').textContent = enrolment.secret.replace(/(.{4})(?=.)/g, '$1 ');
  show('factor', 'enrol_heading', 'enrol_hint');
}

function useRecovery(on) {
  at('recovery').textContent = say(on ? 'use_app' : 'use_recovery');
  at('recovery').dataset.on = String(on);
  at('code-label').textContent = say(on ? 'recovery_code' : 'code');
  at('code').inputMode = on ? 'text' : 'numeric';
}

function showCodes(codes) {
  at('code-list').replaceChildren(
    ...codes.map((code) => Object.assign(document.createElement('li'), { textContent: code })),
  );
  show('codes', 'codes_heading', 'codes_hint');
}

const codesAsText = () => [...at('code-list').children].map((item) => item.textContent).join('\n');

/** Pages for signed-in users of each portal. The first one is opened after a sign-in. */
const places = {
  admin: { '/status': 'status_page', '/api/docs/': 'reference' },
  user: { '/home/': 'workplaces' },
};

/** Destination of a signed-in user: the page that redirected here, or the first page for them. */
function goOn() {
  if (facts.user.mustChange) return askChange();
  const [first] = Object.keys(places[facts.user.portal]);
  const next = facts.next === '/' ? undefined : facts.next;
  if (isForOthers(next)) return showInside();
  location.assign(next ?? first);
}

/** The page that redirected here is for administrators, and the user is not one. */
const isForOthers = (next) => next !== undefined && facts.user.portal === 'user' && !next.startsWith('/home');

function askChange() {
  at('whose').value = facts.user.login;
  show('change', 'change_heading', 'change_hint');
}

function showInside() {
  const links = Object.entries(places[facts.user.portal]);
  at('places').replaceChildren(
    ...links.map(([href, key]) => {
      const item = document.createElement('li');
      item.append(Object.assign(document.createElement('a'), { href, textContent: say(key) }));
      return item;
    }),
  );
  // A user without access to the administrator page that redirected here needs an explanation.
  const hint = isForOthers(facts.next) ? 'inside_elsewhere' : 'inside_hint';
  show('inside', 'inside_heading', hint, { user: facts.user.name });
}

at('credentials').addEventListener('submit', (event) => {
  event.preventDefault();
  const [username, password] = [at('username').value.trim(), at('password').value];
  hideProblem();
  if (username === '') return tell(say('missing_username'), at('username'));
  if (password === '') return tell(say('missing_password'), at('password'));
  if (at('domain').value === '') return tell(say('no_domains'));
  attempt = { username, password, authId: at('domain').value, locale: facts.language, platform: 'browser' };
  return signIn(event.target);
});

at('factor').addEventListener('submit', (event) => {
  event.preventDefault();
  const code = at('code').value.replace(/\s/g, '');
  if (code === '') return tell(say('missing_code'), at('code'));
  return signIn(event.target, { code });
});

at('change').addEventListener('submit', (event) => {
  event.preventDefault();
  const change = { current: at('current').value, new: at('new').value };
  hideProblem();
  const empty = ['current', 'new'].find((id) => at(id).value === '');
  if (empty) return tell(say('missing_password'), at(empty));
  if (change.new !== at('again').value) return tell(say('different'), at('again'));
  return during(event.target, async () => {
    await call('PUT', '/api/userinfo/password', change).catch(refuseChange);
    facts.user.mustChange = false;
    goOn();
  });
});

/** The error text of a rejected password names the violated rule. */
function refuseChange(problem) {
  if (problem.code !== 'invalid_request')
    throw problem.code === 'invalid_credentials' ? { ...problem, code: 'wrong_current' } : problem;
  facts.texts.refused = say('refused_password', { detail: problem.fault?.detail ?? '' });
  throw { ...problem, code: 'refused' };
}

at('username').addEventListener('input', hideProblem);
at('show').addEventListener('click', () => {
  const isShown = at('password').type === 'text';
  at('password').type = isShown ? 'password' : 'text';
  at('show').textContent = say(isShown ? 'show' : 'hide');
  at('show').setAttribute('aria-pressed', String(!isShown));
});
at('recovery').addEventListener('click', () => {
  useRecovery(at('recovery').dataset.on !== 'true');
  at('code').focus();
});
at('back').addEventListener('click', () => {
  attempt = {};
  show('credentials', 'heading');
});
at('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(codesAsText());
  at('copy').textContent = say('copied');
});
at('save').addEventListener('click', () => {
  const href = URL.createObjectURL(new Blob([`${codesAsText()}\n`], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href, download: 'recovery-codes.txt' }).click();
  URL.revokeObjectURL(href);
});
at('saved').addEventListener('click', goOn);
for (const button of document.querySelectorAll('[data-sign-out]')) button.addEventListener('click', signOut);

if (facts.user?.mustChange) askChange();
else if (facts.user) showInside();
else {
  if (at('domain').value === '') tell(say('no_domains'));
  at('username').focus();
}
