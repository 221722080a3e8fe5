import { join } from 'node:path'

/** The part of the bundler's module graph that is used here. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** The page that is opened first. */
export const FIRST_PAGE = 'pages/overview/overview-page.tsx'

const SOURCES = join(import.meta.dirname, '../src')
const ENTRY = 'main.tsx'
/**
 * Excluded: the plot and its large library, which few pages use, and the protocol package, because each page needs only a
 * few of its modules.
 */
const EXCLUDED = /figures\/plot\.|node_modules\/uplot|packages\/protocol\//

/**
 * Puts the imports of the first page into one file, because twenty small files cost more bytes and requests. The page itself
 * stays separate: the router loads it.
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

/** The direct and indirect imports of the entry and the page, excluding both. */
function partsOf(graph: Graph): ReadonlySet<string> {
  const roots = [ENTRY, FIRST_PAGE].map((file) => join(SOURCES, file))
  const found = new Set<string>()
  const add = (id: string): void => {
    if (found.has(id) || EXCLUDED.test(id)) return
    found.add(id)
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each)
  }
  for (const root of roots) add(root)
  for (const root of roots) found.delete(root)
  return found
}
