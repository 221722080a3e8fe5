/** The style of the start page: one column; light or dark as the browser prefers. */
export const START_PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #30363d); --dim: light-dark(#57606a, #9aa4af);
  --panel: light-dark(#f4f6f8, #161b22); --good: light-dark(#1a7f37, #3fb950) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fff, #0d1117);
  color: light-dark(#1f2328, #e6edf3) }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.25rem, 6vw, 4rem) clamp(1rem, 5vw, 2rem) }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 } h1 small { font-size: 1rem; font-weight: 400; color: var(--dim) }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem } p { margin: .5rem 0 }
.state { color: var(--good); font-weight: 600 }
.state::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .5em; border-radius: 50%;
  background: currentColor }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
pre { margin: .75rem 0; padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px;
  background: var(--panel) } pre code { overflow-wrap: normal }
ul { margin: 0; padding: 0; list-style: none }
li { display: grid; grid-template-columns: 9rem 1fr; gap: 0 1rem; padding: .4rem 0; border-top: 1px solid var(--line) }
li span { color: var(--dim) }
a { color: light-dark(#0550ae, #79c0ff) } a:focus-visible, pre:focus-visible { outline: 2px solid currentColor }
@media (max-width: 34rem) { li { grid-template-columns: 1fr } }
`.trim()
