#!/usr/bin/env node
// Plain JavaScript that an old Node can read as well: it is the one to say that it is too old.
import fs from 'fs'
import nodeModule from 'module'
import url from 'url'

const NEEDED = 24

if (parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `error: Hookline needs Node ${NEEDED} or newer; this is ${process.version}.\n` +
      '  In a clone, `npx hookline …` and `npm start` use the Node that npm ci puts into node_modules/.bin.\n' +
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
    keepWhatIsCompiled()
  }
  const entry = isClone ? source : new URL('../dist/main.js', import.meta.url)
  const { main } = await import(entry.href)
  process.exitCode = await main(process.argv.slice(2))
}

/** A clone runs without a build: its packages export their source under a condition of this name. */
function resolveWorkspacesToSource() {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'hookline-source'] }),
  })
}

/** A clone's TypeScript is read once, not at every start. In its own folder: a shared one could be tampered with. */
function keepWhatIsCompiled() {
  const folder = new URL('../../../node_modules/.cache/hookline', import.meta.url)
  nodeModule.enableCompileCache(url.fileURLToPath(folder))
}
