/** What `/docs` shows in a clone that has no built pages. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Hookline documentation</title></head>
<body><main><h1>The documentation is not built</h1>
<p>Run <code>npm run docs:site</code> in the folder of the clone, and load this page again. It takes some seconds.</p>
<p>The same pages are in the folder <code>docs</code> of the clone. The API reference is at <a href="/api/docs">/api/docs</a>.</p>
</main></body></html>
`
