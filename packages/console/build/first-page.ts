import { join } from 'node:path'

/** What is in the bundle and imports what; of the bundler. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** The page that is opened first. */
export const FIRST_PAGE = 'pages/overview/overview-page.tsx'

const SOURCES = join(import.meta.dirname, '../src')
const ENTRY = 'main.tsx'
/**
 * Few pages have a plot, and its library is large. Of the protocol, whose modules all come by one import, each page needs
 * little: the bundler knows what.
 */
const LEFT_OUT = /figures\/plot\.|node_modules\/uplot|packages\/protocol\//

/**
 * Puts what the first page needs into one file: twenty small ones take more bytes, and more requests. The page itself stays
 * what the router fetches.
 */
export function firstPageGroup(): { name: (id: string, graph: Graph) => string | null } {
  let parts: ReadonlySet<string> | undefined
  return {
    name: (id, graph) => {
      parts ??= partsOf(graph)
      return parts.has(id) ? 'first-page' : null
    },
  }
}

/** What the entry and the page import, and what that imports, without the two. */
function partsOf(graph: Graph): ReadonlySet<string> {
  const roots = [ENTRY, FIRST_PAGE].map((file) => join(SOURCES, file))
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id) || LEFT_OUT.test(id)) return
    found.add(id)
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each)
  }
  for (const root of roots) add(root)
  for (const root of roots) found.delete(root)
  return found
}
