import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Bundler {
  readonly rolldown: (options: object) => Promise<{
    generate(options: object): Promise<{ output: readonly [{ readonly code: string }] }>
  }>
}

/** Bundles a module with all its imports, minified. Packages resolve as published unless `conditions` differ. */
export async function bundle(path: string, conditions: readonly string[] = []): Promise<string> {
  // rolldown comes with Vitest's Vite. A literal import would make it a dependency whose version has to be kept in sync.
  const name = 'rolldown'
  const { rolldown } = (await import(name)) as Bundler
  const built = await rolldown({
    input: path,
    resolve: { conditionNames: [...conditions, 'import', 'default'] },
    platform: 'neutral',
  })
  const { output } = await built.generate({ format: 'esm', minify: true })
  return output[0].code
}

export async function bundledBytes(module: string): Promise<number> {
  const path = fileURLToPath(new URL(`../../../client/src/${module}.ts`, import.meta.url))
  return gzipSync(await bundle(path, ['hookline-source'])).length
}
