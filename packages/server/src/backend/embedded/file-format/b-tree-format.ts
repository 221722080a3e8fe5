/** What pages and rows of a database file look like: https://sqlite.org/fileformat2.html §1.6 and §2.1. */

/** Kinds of pages of a B-tree, by their first byte. */
export const INDEX_INTERIOR = 2
export const TABLE_INTERIOR = 5
export const INDEX_LEAF = 10
export const TABLE_LEAF = 13

/** The header of the file, at the beginning of the first page. */
export const FILE_HEADER_BYTES = 100

/** How many bytes of a row are in its page; the rest is in overflow pages. `isTable`: of a table with rowids. */
export function bytesInPage(rowBytes: number, pageBytes: number, isTable: boolean): number {
  const most = isTable ? pageBytes - 35 : Math.floor(((pageBytes - 12) * 64) / 255) - 23
  if (rowBytes <= most) return rowBytes
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23
  const fitting = least + ((rowBytes - least) % (pageBytes - 4))
  return fitting <= most ? fitting : least
}

/** Bytes of a value, by its type: null, integers, a float, the constants 0 and 1. */
const FIXED_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

/** How many bytes a value of this type has; `undefined` where there is no such type. */
export function bytesOfType(type: number): number | undefined {
  if (type < 0 || type === 10 || type === 11) return undefined
  return FIXED_BYTES[type] ?? Math.floor((type - 12) / 2)
}
