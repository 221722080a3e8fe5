#!/usr/bin/env node
// Plain JavaScript that an old Node can parse too, so that it can print the error below.
import fs from 'fs'
import nodeModule from 'module'
import url from 'url'

const NEEDED = 24

if (parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `error: Hookline needs Node ${NEEDED} or newer; this is ${process.version}.\n` +
      '  In a clone of the repository, run `npm ci`, then `npx hookline …` or `npm start`: they use the right Node.\n' +
      `  Elsewhere, install Node ${NEEDED} from https://nodejs.org.`,
  )
  process.exitCode = 1
} else {
  void run()
}

async function run() {
  const source = new URL('../src/main.ts', import.meta.url)
  const isClone = fs.existsSync(source)
  if (isClone) {
    resolveWorkspacesToSource()
    cacheCompiledSource()
  }
  const entry = isClone ? source : new URL('../dist/main.js', import.meta.url)
  const { main } = await import(entry.href)
  process.exitCode = await main(process.argv.slice(2))
}

/** A clone runs without a build: its packages export their source under this condition. */
function resolveWorkspacesToSource() {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'hookline-source'] }),
  })
}

/** Caches the compiled TypeScript between starts, inside the clone: others could write to a shared folder. */
function cacheCompiledSource() {
  const folder = new URL('../../../node_modules/.cache/hookline', import.meta.url)
  nodeModule.enableCompileCache(url.fileURLToPath(folder))
}
