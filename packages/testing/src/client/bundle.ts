import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Build {
  generate(options: object): Promise<{ output: readonly [{ readonly code: string }] }>
  write(options: object): Promise<unknown>
}

interface Bundler {
  readonly rolldown: (options: object) => Promise<Build>
}

/** Runs rolldown, which comes with Vitest's Vite. A literal import would make it a dependency whose version has to be kept in sync. */
export async function build(options: object): Promise<Build> {
  const name = 'rolldown'
  const { rolldown } = (await import(name)) as Bundler
  return rolldown(options)
}

/** Bundles a module with all its imports, minified. Packages resolve as published unless `conditions` differ. */
export async function bundle(path: string, conditions: readonly string[] = []): Promise<string> {
  const built = await build({
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
