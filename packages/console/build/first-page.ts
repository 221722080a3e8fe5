import { join } from 'node:path'

/** The modules of the bundle and their imports; of the bundler. */
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
 * Puts the imports of the first page into one file: twenty small ones take more bytes and requests. The router fetches the
 * page itself.
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

/** The direct and indirect imports of the entry and the page, without the two. */
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
