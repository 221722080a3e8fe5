import { pathPartOf } from '../../domain/user-path.ts'
import { PAGE_DESCRIPTIONS } from '../page-descriptions.ts'
import { PAGES } from '../pages.ts'

export interface PaletteEntry {
  readonly name: string
  readonly kind: string
  readonly to: string
}

interface Named {
  readonly id: string
  readonly name: string
}

export interface NamedRecords {
  readonly destinations?: readonly Named[] | undefined
  readonly sources?: readonly Named[] | undefined
  readonly audiences?: readonly Named[] | undefined
  readonly traits?: readonly Named[] | undefined
  /** Saved views; the id is the address. */
  readonly views?: readonly Named[] | undefined
  /** Users who match the text, by userId. */
  readonly users?: readonly Named[] | undefined
}

const MAX_ENTRIES = 30
/** The maximum length of a search text in the API. */
const MAX_TEXT_CHARACTERS = 200

type To = (id: string) => string

const DESTINATION: To = (id) => `/destinations/${id}`
const SOURCE: To = (id) => `/sources?source=${id}`
const AUDIENCE: To = (id) => `/audiences?audience=${id}`
const USER: To = (id) => `/users/${encodeURIComponent(pathPartOf(id))}`
const VIEW: To = (address) => address
const TRAIT: To = (id) => `/audiences?trait=${id}`

const ID_PAGES: readonly (readonly [prefix: string, kind: string, to: To])[] = [
  ['evt_', 'Event', (id) => `/events/${id}`],
  ['dst_', 'Destination', DESTINATION],
  ['src_', 'Source', SOURCE],
  ['msg_', 'Delivery', (id) => `/events?delivery=${id}`],
  ['aud_', 'Audience', AUDIENCE],
  ['trt_', 'Computed trait', TRAIT],
  ['del_', 'Deletion', (id) => `/privacy?deletion=${id}`],
  ['rpl_', 'Replay', (id) => `/destinations?replay=${id}`],
  ['tok_', 'Token', () => '/system?tab=tokens'],
  ['ses_', 'Session', () => '/system?tab=sessions'],
  ['req_', 'Inspector request', (id) => `/inspector?request=${id}`],
  ['adt_', 'Audit log entry', (id) => `/system?tab=audit&entry=${id}`],
]

/** The ranks of matches. A lower rank is a better match. */
const RANKS = { page: 0, exact: 1, begins: 2, contains: 3, id: 4, about: 5 } as const

interface Ranked {
  readonly entry: PaletteEntry
  readonly rank: number
}

/** The entries for a text, best match first, then searches for it among events and users. */
export function paletteEntries(text: string, records: NamedRecords): PaletteEntry[] {
  const query = text.trim()
  const found = [
    ...PAGES.map(({ to, name }) => entryOf(name, PAGE_DESCRIPTIONS[to]!, to)).flatMap((entry) =>
      rankEntry(entry, pageRank(entry, query.toLowerCase())),
    ),
    ...recordEntries(records, query.toLowerCase()),
    ...idEntries(query),
  ]
  const entries = found.toSorted((a, b) => a.rank - b.rank).map(({ entry }) => entry)
  const isKnownId = ID_PAGES.some(([prefix]) => query.startsWith(prefix))
  const searches = query === '' || isKnownId ? [] : searchEntries(query)
  const first = withoutRepeats(entries).slice(0, MAX_ENTRIES - searches.length)
  return withoutRepeats([...first, ...searches])
}

function rankEntry(entry: PaletteEntry, rank: number | undefined): Ranked[] {
  return rank === undefined ? [] : [{ entry, rank }]
}

function pageRank({ name, kind }: PaletteEntry, query: string): number | undefined {
  if (name.toLowerCase().startsWith(query)) return RANKS.page
  if (hasWords(name, query)) return RANKS.contains
  return hasWords(`${name} ${kind}`, query) ? RANKS.about : undefined
}

function recordRank({ id, name }: Named, kind: string, query: string): number | undefined {
  const called = name.toLowerCase()
  if (called === query || id === query) return RANKS.exact
  if (called.startsWith(query) || id.startsWith(query)) return RANKS.begins
  if (hasWords(name, query)) return RANKS.contains
  return hasWords(`${name} ${kind}`, query) ? RANKS.about : undefined
}

function hasWords(content: string, query: string): boolean {
  const all = content.toLowerCase()
  return query.split(/\s+/).every((word) => all.includes(word))
}

function recordEntries(records: NamedRecords, query: string): Ranked[] {
  const { destinations = [], sources = [], audiences = [], traits = [], users = [] } = records
  const { views = [] } = records
  const kinds = [
    [destinations, 'Destination', DESTINATION],
    [sources, 'Source', SOURCE],
    [audiences, 'Audience', AUDIENCE],
    [traits, 'Computed trait', TRAIT],
    [users, 'User', USER],
    [views, 'Saved view', VIEW],
  ] as const
  return kinds.flatMap(([all, kind, to]) =>
    all.flatMap((each) =>
      rankEntry(entryOf(each.name, kind, to(each.id)), recordRank(each, kind, query)),
    ),
  )
}

function idEntries(text: string): Ranked[] {
  if (/\s/.test(text)) return []
  const known = ID_PAGES.find(([prefix]) => text.startsWith(prefix))
  if (known === undefined) return []
  const [, kind, to] = known
  return rankEntry(entryOf(text, kind, to(encodeURIComponent(text))), RANKS.id)
}

/**
 * The searches for a text, the most likely first. An email address, or text with digits, is probably a user or a message.
 * Other text may also be a userId, but that user may not exist, so the search for events comes first.
 */
function searchEntries(text: string): PaletteEntry[] {
  const encoded = encodeURIComponent(text)
  const isWord = !/\s/.test(text)
  const message = entryOf(
    `Find events by messageId “${text}”`,
    'Events',
    `/events?messageId=${encoded}`,
  )
  const content = entryOf(`Find events containing “${text}”`, 'Events', `/events?text=${encoded}`)
  const userPath = `/users/${encodeURIComponent(pathPartOf(text))}`
  const user = entryOf(`Open user “${text}”`, 'User', userPath)
  const email = entryOf(`Find users by email “${text}”`, 'Users', `/users?search=${encoded}`)
  const contents = text.length > MAX_TEXT_CHARACTERS ? [] : [content]
  if (/^\S+@\S+$/.test(text)) return [email, user, ...contents, message]
  if (isWord && /\d/.test(text)) return [user, message, ...contents]
  return [...contents, user, ...(isWord ? [message] : [])]
}

function entryOf(name: string, kind: string, to: string): PaletteEntry {
  return { name, kind, to }
}

/** Keeps the first entry of each address. A record comes before an id or a search that leads to the same page. */
function withoutRepeats(entries: readonly PaletteEntry[]): PaletteEntry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.to, entry])).values()].toReversed()
}
