/** Draws the view that the app sends, and sends the actions of the person. The app decides everything else. */
import type { Act, Field, ShellView } from '#electron/core/shell-channels.ts';

interface Bridge {
  view(): Promise<ShellView | null>;
  act(act: Act): Promise<void>;
  follow(listener: (view: ShellView) => void): void;
}

const bridge = (globalThis as unknown as { readonly shell: Bridge }).shell;

function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  text: string,
  more: Partial<HTMLElementTagNameMap[N]> = {},
): HTMLElementTagNameMap[N] {
  return Object.assign(document.createElement(name), { textContent: text }, more);
}

/** Returns the control of a field, with what the person has typed before the view changed. */
function control(field: Field, typed: string | undefined): HTMLElement {
  if (field.kind === 'folder') return element('output', field.value, { name: field.name });
  const value = typed ?? field.value;
  if (field.kind === 'choice') {
    const list = element('select', '', { name: field.name });
    list.append(...(field.options ?? []).map((one) => element('option', one.label, { value: one.value })));
    if (value !== '') list.value = value;
    return list;
  }
  const input = element('input', '', { name: field.name, type: field.kind === 'pin' ? 'password' : 'text' });
  if (field.kind === 'pin') Object.assign(input, { inputMode: 'numeric', autocomplete: 'off', maxLength: 8 });
  else input.maxLength = 500;
  input.value = value;
  return input;
}

function typedIn(form: HTMLFormElement | null): Record<string, string> {
  const all: Record<string, string> = {};
  for (const one of form?.elements ?? [])
    if (one instanceof HTMLInputElement || one instanceof HTMLSelectElement) all[one.name] = one.value;
  return all;
}

/** True after an action, until the next view is drawn. */
let hasActed = false;

function send(act: Act): void {
  hasActed = true;
  void bridge.act(act);
}

function draw(view: ShellView): void {
  const main = document.querySelector('main');
  if (main === null) return;
  const before = main.querySelector('form');
  // A PIN that was wrong is typed anew. A view that is drawn again for another reason keeps what the person has typed.
  const isRefused = hasActed && view.problem !== null;
  hasActed = false;
  const same = before !== null && document.title === view.title && !isRefused;
  const typed = same ? typedIn(before) : {};
  const form = element('form', '');
  for (const field of view.fields) {
    const label = element('label', '');
    label.append(element('span', field.label), control(field, typed[field.name]));
    form.append(label);
  }
  const actions = element('div', '', { className: 'actions' });
  for (const [at, { id, label }] of view.actions.entries()) {
    const button = element('button', label, { type: at === 0 ? 'submit' : 'button' });
    if (at > 0) button.addEventListener('click', () => send({ id, fields: typedIn(form) }));
    actions.append(button);
  }
  form.append(actions);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [first] = view.actions;
    if (first !== undefined) send({ id: first.id, fields: typedIn(form) });
  });
  document.title = view.title;
  main.className = view.busy ? 'busy' : '';
  main.replaceChildren(
    element('h1', view.title),
    ...view.text.map((text) => element('p', text)),
    ...(view.problem === null ? [] : [element('p', view.problem, { className: 'problem', role: 'alert' })]),
    ...(view.fields.length + view.actions.length > 0 ? [form] : []),
  );
  main.querySelector<HTMLElement>('input, select, button')?.focus();
}

bridge.follow(draw);
void bridge.view().then((view) => {
  if (view !== null) draw(view);
});
