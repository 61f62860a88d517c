// How Streamlit draws a component.

/**
 * What it calls: `data` is what Python says, `parentElement` where the markup is.
 * @typedef {object} Mount
 * @property {any} data
 * @property {HTMLElement} parentElement
 * @property {(name: string, value: any) => void} setStateValue
 */

/** @typedef {Mount & {setTriggerValue(name: string, value: any): void}} Triggering that reports a press */
/** @typedef {{setStateValue?: Function, setTriggerValue?: Function, take(data: any): void, invalidate?(): void, close(): void}} Mounted */

/**
 * The default export of a component: one view for each place in the page, which takes what Python says in every run of the
 * page's script, and has the newest ways to tell it.
 * @type {(View: new (root: any) => Mounted) => (mount: any) => () => void}
 */
export function mounted(View) {
  const views = new WeakMap();
  return ({ data, parentElement: root, setStateValue, setTriggerValue }) => {
    const view = views.get(root) ?? new View(root);
    views.set(root, view);
    Object.assign(view, { setStateValue, setTriggerValue });
    view.take(data);
    view.invalidate?.();
    return () => {
      // While the module comes, Streamlit may draw once more: it then calls this for the drawing that was overtaken.
      if ((root.host ?? root).isConnected) return;
      view.close();
      views.delete(root);
    };
  };
}
