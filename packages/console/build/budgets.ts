import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'
import { FIRST_PAGE } from './first-page.ts'

/** The maximum size of the JavaScript, compressed with gzip. */
const MAX_FIRST_PAGE_BYTES = 150_000
const MAX_ALL_BYTES = 350_000

/** Fails the build if the first page, or all pages together, need too much JavaScript. */
export function budgets(): Plugin {
  return {
    name: 'budgets',
    apply: 'build',
    generateBundle(_options, files) {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk')
      const first = chunks.filter(
        ({ isEntry, facadeModuleId }) => isEntry || facadeModuleId?.endsWith(FIRST_PAGE),
      )
      if (first.length !== 2) this.error(`The build has no chunk for ${FIRST_PAGE}.`)
      const sizes = {
        'The first page has': [bytesOf(withImports(first, chunks)), MAX_FIRST_PAGE_BYTES],
        'All pages have': [bytesOf(new Set(chunks)), MAX_ALL_BYTES],
      } as const
      for (const [what, [bytes, max]] of Object.entries(sizes)) {
        const text = `${what} ${bytes} bytes of compressed JavaScript; the limit is ${max}.`
        if (bytes > max) this.error(text)
        this.info(text)
      }
    },
  }
}

type Chunk = Rolldown.OutputChunk

function withImports(first: readonly Chunk[], chunks: readonly Chunk[]): Set<Chunk> {
  const found = new Set<Chunk>()
  const add = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return
    found.add(chunk)
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name))
  }
  for (const chunk of first) add(chunk)
  return found
}

function bytesOf(chunks: ReadonlySet<Chunk>): number {
  return [...chunks].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
}
