/** What a site shows in a clone that has not built it. */
export function notBuiltPage(what: 'documentation' | 'console', command: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Hookline ${what}</title></head>
<body><main><h1>The ${what} is not built</h1>
<p>Run <code>${command}</code> in the folder of the clone, and load this page again. It takes some seconds.</p>
</main></body></html>
`
}
