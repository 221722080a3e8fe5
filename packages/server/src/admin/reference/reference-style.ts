/** The style of the reference: two columns, or one on a narrow screen; light or dark as the browser prefers. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3e6ea, #30363d); --dim: light-dark(#5b6570, #9aa4af);
  --panel: light-dark(#f6f8fa, #161b22); --back: light-dark(#fff, #0d1117); --text: light-dark(#1f2328, #e6edf3) }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); font: 15px/1.55 system-ui, sans-serif;
  background: var(--back); color: var(--text) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line);
  background: var(--panel) }
nav h1 { font-size: 1.05rem; margin: 0 0 1rem } nav h2 { font-size: .8rem; margin: 1.2rem 0 .3rem; color: var(--dim) }
nav ul { list-style: none; margin: 0; padding: 0 } nav li { margin: .15rem 0; font-size: .85rem }
nav li a { display: grid; grid-template-columns: 3.2rem 1fr; align-items: baseline }
a { color: light-dark(#0550ae, #79c0ff); text-decoration: none } a:hover { text-decoration: underline }
main { padding: 2rem clamp(1rem, 4vw, 4rem); max-width: 62rem; overflow-wrap: anywhere }
h2 { margin-top: 2.5rem } h3 { margin: 0 0 .4rem; font-size: 1rem } h4 { margin: 1rem 0 .3rem; color: var(--dim) }
article { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0;
  scroll-margin-top: 1rem } article:target { border-color: light-dark(#0969da, #1f6feb) }
p { margin: .3rem 0 } .lead { font-size: 1.05rem } small, em { color: var(--dim) }
code { font: .9em ui-monospace, monospace } dl { margin: 0 } dd { margin: 0 0 .6rem 1rem }
.schema { display: inline } .schema ul { margin: .2rem 0 .4rem; padding-left: 1rem; list-style: none;
  border-left: 2px solid var(--line) } .schema li { margin: .2rem 0 } i { color: var(--dim); font-style: normal }
b { display: inline-block; min-width: 4.2em; font: 700 .7rem ui-monospace, monospace; text-transform: uppercase }
.get { color: light-dark(#1a7f37, #3fb950) } .post { color: light-dark(#0550ae, #58a6ff) }
.patch, .put { color: light-dark(#9a6700, #d29922) } .delete { color: light-dark(#cf222e, #f85149) }
.part { font-weight: 700; margin: 2rem 0 .3rem } main .part { font-size: 1.4rem } main .part:first-child { margin-top: 0 }
details { margin: .3rem 0 } summary { cursor: pointer; font-size: .85rem; color: var(--dim) }
pre { margin: .3rem 0; padding: .7rem; overflow: auto; border-radius: 6px; background: var(--panel);
  font: .82rem/1.45 ui-monospace, monospace } a:focus-visible, summary:focus-visible { outline: 2px solid currentColor }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto; border: 0 } }
`.trim()
