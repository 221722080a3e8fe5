import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Bundler {
  readonly rolldown: (options: object) => Promise<{
    generate(options: object): Promise<{ output: readonly [{ readonly code: string }] }>
  }>
}

/** A module with all that it imports, minified; packages are taken as they are published. */
export async function bundle(path: string, conditions: readonly string[] = []): Promise<string> {
  // It comes with Vitest's Vite; named so, it is no dependency of our own to keep in step with that.
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

/** The size, minified and compressed, of a module of the client with all that it imports. */
export async function bundledBytes(module: string): Promise<number> {
  const path = fileURLToPath(new URL(`../../src/${module}.ts`, import.meta.url))
  return gzipSync(await bundle(path, ['hookline-source'])).length
}
