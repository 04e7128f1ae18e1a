import type { Tab } from '../../../e2e/support/browser.ts';

type Page = Tab['page'];

/** What must not happen in a page that shows hostile values. */
export type Watch = {
  faults: string[];
  /** Reports also what the page has now. @returns all faults so far */
  end(): Promise<string[]>;
};

/**
 * Watches a page from its next document on: elements and attributes of hostile values, addresses that run a script,
 * violations of the policy, scripts that ran, and dialogs.
 */
export async function watchPage(page: Page): Promise<Watch> {
  const faults: string[] = [];
  const note = (fault: string): void => void faults.push(fault);
  page.on('dialog', (dialog) => {
    note(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('noteFault', note);
  await page.addInitScript(watchDocument);
  const end = async () => {
    if (await page.evaluate(() => 'hasRun' in globalThis)) note('a script ran');
    return [...new Set(faults)];
  };
  return { faults, end };
}

function watchDocument(): void {
  const { noteFault } = globalThis as unknown as { noteFault(fault: string): void };
  const addresses = /^(?:href|src|action|formaction|data|xlink:href)$/;
  const dangerous = /^\s*(?:javascript|vbscript|data:(?!image\/)):?/i;
  const judge = (element: Element) => {
    for (const { name, value } of element.attributes) {
      const isBad =
        name === 'hostile' ||
        name === 'srcdoc' ||
        name.startsWith('on') ||
        (addresses.test(name) && dangerous.test(value));
      if (isBad) noteFault(`${location.pathname}${location.hash}: ${element.outerHTML.slice(0, 200)}`);
    }
  };
  const judgeAll = (node: Node) => {
    if (!(node instanceof Element)) return;
    judge(node);
    for (const element of node.querySelectorAll('*')) judge(element);
  };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (target instanceof Element) judge(target);
      for (const node of addedNodes) judgeAll(node);
    }
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    noteFault(`${location.pathname}${location.hash}: policy ${effectiveDirective} ${blockedURI}`),
  );
}
