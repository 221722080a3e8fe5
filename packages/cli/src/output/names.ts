import { listItems } from '../api/list-items.ts'
import type { ManagementApi } from '../api/management-api.ts'
import type { Output } from './output.ts'
import type { Column } from './table.ts'

/** Names of sources or destinations by id. */
export type Names = ReadonlyMap<string, string>

/** The maximum number of names to load: more would take too many requests. */
const MAX_NAMES = 1_000

type Named = { readonly id: string; readonly name: string }

/** Empty for JSON output. Without names, ids are shown. */
export function destinationNames(api: ManagementApi, output: Output): Promise<Names> {
  return output.isJson ? NONE : namesIn(listItems<Named>(api.listDestinations, MAX_NAMES))
}

export function sourceNames(api: ManagementApi, output: Output): Promise<Names> {
  return output.isJson ? NONE : namesIn(listItems<Named>(api.listSources, MAX_NAMES))
}

const NONE = Promise.resolve<Names>(new Map())

/** Lists are useful even without names. */
async function namesIn(listed: Promise<readonly Named[]>): Promise<Names> {
  const items = await listed.catch(() => [])
  return new Map(items.map(({ id, name }) => [id, name]))
}

/** `Shop (dst_…)`, or the id alone. */
export function nameAndId(id: string, names: Names): string {
  const name = names.get(id)
  return name === undefined ? id : `${name} (${id})`
}

/** Name and id columns. A narrow screen shows only the names, or only the ids if a name is missing. */
export function nameColumns<Item>(
  head: 'source' | 'destination',
  idOf: (item: Item) => string,
  { names, items }: { readonly names: Names; readonly items: readonly Item[] },
): Column<Item>[] {
  const areKnown = items.every((item) => names.has(idOf(item)))
  const name = (item: Item) => names.get(idOf(item)) ?? ''
  return [
    { head, cell: name, long: 'cut', ...(areKnown ? {} : { rank: 8 }) },
    { head: `${head} id`, cell: idOf, ...(areKnown ? { rank: 9 } : {}) },
  ]
}
