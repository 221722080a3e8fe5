#!/usr/bin/env node
// Must parse on old Node versions, to switch to a supported one or print instructions.
import fs from 'fs'
import nodeModule from 'module'
import url from 'url'
import { endWithParent, runWithRightNode } from './right-node.js'

const NEEDED = 24

const source = new URL('../src/main.ts', import.meta.url)
const isClone = fs.existsSync(source)

if (parseInt(process.versions.node, 10) < NEEDED) {
  runWithRightNode(NEEDED, isClone)
} else {
  void run()
}

async function run() {
  endWithParent()
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

/** Caches compiled TypeScript in the clone, because other users could write to a shared folder. */
function cacheCompiledSource() {
  const folder = url.fileURLToPath(
    new URL('../../../node_modules/.cache/hookline', import.meta.url),
  )
  nodeModule.enableCompileCache(folder)
  // Worker threads inherit the variable. Without it, each would load its own compiler, which takes 12 MB.
  process.env.NODE_COMPILE_CACHE = folder
}
