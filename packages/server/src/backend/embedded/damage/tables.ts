import { type BTreePage, type Kind, readBTreePage } from './b-tree-page.ts'
import type { StoredRow } from './cell.ts'
import type { Pages } from './pages.ts'

/** A table as the schema of this version defines it. */
export interface TableShape {
  readonly name: string
  readonly kind: Kind
  /** Whether a row may be one of this table. */
  readonly isRow: (row: StoredRow) => boolean
}

/** What was found of a table. */
export interface FoundTable {
  /** Pages whose rows are its own. */
  readonly pages: number[]
  /** How many of its pages cannot be read. */
  damagedPages: number
  /** How many rows of its other pages cannot be read. */
  damagedRows: number
  /** Where pages are missing: rows after the first rowid, up to the second one; `undefined`: not known. */
  readonly gaps: (readonly [after: Rowid, through: Rowid])[]
}

type Rowid = number | bigint | undefined

interface Subtree {
  readonly page: number
  readonly after: Rowid
  readonly through: Rowid
}

/** Finds the pages with the rows of each table. */
export function findTables(
  pages: Pages,
  shapes: readonly TableShape[],
): ReadonlyMap<string, FoundTable> {
  const walk = new Walk(pages)
  const roots = rootsIn(pages)
  const tables = new Map<string, FoundTable>()
  for (const shape of shapes) tables.set(shape.name, walk.tree(roots.get(shape.name), shape))
  // Their pages are no rows: what no tree has is left over.
  for (const [name, root] of roots) if (!tables.has(name)) walk.tree(root, ANY_INDEX)
  walk.giveOrphans(shapes, tables)
  return tables
}

const ANY_INDEX = { kind: 'index', isRow: () => true } as const

class Walk {
  readonly #pages: Pages
  readonly #seen = new Set<number>()

  constructor(pages: Pages) {
    this.#pages = pages
  }

  /** Walks through a tree from its root; `undefined`: nobody knows where it is. */
  tree(root: number | undefined, shape: Omit<TableShape, 'name'>): FoundTable {
    const found: FoundTable = { pages: [], damagedPages: 0, damagedRows: 0, gaps: [] }
    const left: Subtree[] = [{ page: root ?? 0, after: undefined, through: undefined }]
    for (let subtree = left.pop(); subtree !== undefined; subtree = left.pop()) {
      const page = this.#take(subtree.page, shape)
      if (page === undefined || (subtree.page !== root && !belongs(page, subtree))) {
        found.damagedPages++
        found.gaps.push([subtree.after, subtree.through])
        continue
      }
      if (page.rows.length > 0) found.pages.push(subtree.page)
      found.damagedRows += page.damagedCells
      left.push(...subtreesOf(page, subtree))
    }
    return found
  }

  /**
   * Where a page in the middle of a tree is damaged, the pages below it belong to no tree. Each is given to the one table
   * that misses pages and has such rows.
   */
  giveOrphans(shapes: readonly TableShape[], tables: ReadonlyMap<string, FoundTable>): void {
    const missing = shapes.filter(({ name }) => tables.get(name)!.damagedPages > 0)
    if (missing.length === 0) return
    for (let page = 2; page <= this.#pages.count; page++) {
      if (this.#seen.has(page)) continue
      const fitting = missing.filter((shape) => this.#read(page, shape)?.rows.length)
      if (fitting.length !== 1) continue
      const { pages } = tables.get(fitting[0]!.name)!
      pages.push(page)
    }
  }

  #take(page: number, shape: Omit<TableShape, 'name'>): BTreePage | undefined {
    if (this.#seen.has(page)) return undefined
    const read = this.#read(page, shape)
    if (read === undefined) return undefined
    this.#seen.add(page)
    for (const each of read.overflow) this.#seen.add(each)
    return read
  }

  /** The page, if it is one of a tree of this shape. */
  #read(number: number, { kind, isRow }: Omit<TableShape, 'name'>): BTreePage | undefined {
    const page = readBTreePage(this.#pages, number)
    if (page?.kind !== kind) return undefined
    const rows = page.rows.filter(isRow)
    // One row may be damaged, in a page that is not.
    if (rows.length < page.rows.length / 2) return undefined
    return { ...page, rows, damagedCells: page.damagedCells + page.rows.length - rows.length }
  }
}

/** Whether a page can be below its parent. Another one may have been written in its place. */
function belongs({ rows, children }: BTreePage, { after, through }: Subtree): boolean {
  if (rows.length === 0 && children.length === 0) return false
  const rowids = [...rows.map(({ rowid }) => rowid), ...children.map((child) => child.through)]
  const known = rowids.filter((rowid) => rowid !== undefined)
  const isInside = (rowid: number | bigint): boolean =>
    (after === undefined || rowid > after) && (through === undefined || rowid <= through)
  return known.length === 0 || known.some(isInside)
}

function subtreesOf({ children }: BTreePage, { after, through }: Subtree): Subtree[] {
  let from = after
  return children.map((child) => {
    const subtree = { page: child.page, after: from, through: child.through ?? through }
    from = child.through
    return subtree
  })
}

/** Where the trees of tables and indexes begin, by name (sqlite.org/fileformat2.html §2.6). */
function rootsIn(pages: Pages): ReadonlyMap<string, number> {
  const schema = { kind: 'rowid', isRow: isSchemaRow } as const
  const walk = new Walk(pages)
  const found = walk.tree(1, schema)
  if (found.damagedPages > 0)
    walk.giveOrphans([{ ...schema, name: 'schema' }], new Map([['schema', found]]))
  const rows = found.pages.flatMap((page) => readBTreePage(pages, page)!.rows.filter(isSchemaRow))
  return new Map(rows.map(({ fields: [, name, , root] }) => [name as string, Number(root)]))
}

function isSchemaRow({ fields }: StoredRow): boolean {
  const [type, name, table, root] = fields
  const isKnown = type === 'table' || type === 'index' || type === 'trigger' || type === 'view'
  const isNamed = typeof name === 'string' && typeof table === 'string'
  return fields.length === 5 && isKnown && isNamed && typeof root === 'number'
}
