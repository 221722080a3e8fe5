import { PAGE_ANSWERS } from './page-answers.ts'
import { PAGES } from './pages.ts'

export interface PaletteEntry {
  readonly key: string
  readonly name: string
  /** What it is: a page, a destination, an id. */
  readonly kind: string
  readonly to: string
}

interface Named {
  readonly id: string
  readonly name: string
}

const MOST = 30

/** Where an id leads, by its prefix. */
const ID_PAGES: readonly (readonly [prefix: RegExp, kind: string, to: (id: string) => string])[] = [
  [/^evt_/, 'Event', (id) => `/events/${id}`],
  [/^dst_/, 'Destination', (id) => `/destinations/${id}`],
  [/^src_/, 'Source', (id) => `/sources?source=${id}`],
  [/^msg_/, 'Delivery', (id) => `/events?delivery=${id}`],
  [/^aud_/, 'Audience', (id) => `/audiences?audience=${id}`],
  [/^trt_/, 'Computed trait', (id) => `/audiences?trait=${id}`],
]

/** What the palette offers for a text: an id first, then pages, destinations and sources that contain its words. */
export function paletteEntries(
  text: string,
  destinations: readonly Named[],
  sources: readonly Named[],
): PaletteEntry[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const all = [
    ...PAGES.map(({ to, name }) => entryOf(to, name, PAGE_ANSWERS[to]!, to)),
    ...destinations.map(({ id, name }) => entryOf(id, name, 'Destination', `/destinations/${id}`)),
    ...sources.map(({ id, name }) => entryOf(id, name, 'Source', `/sources?source=${id}`)),
  ]
  const matching = all.filter(({ name, kind, key }) => {
    const content = `${name} ${kind} ${key}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
  return [...idEntries(text.trim()), ...matching].slice(0, MOST)
}

/** A text without a known prefix may be the id of a user or of a message. */
function idEntries(text: string): PaletteEntry[] {
  if (text === '' || /\s/.test(text)) return []
  const known = ID_PAGES.find(([prefix]) => prefix.test(text))
  if (known !== undefined) return [entryOf('id', text, known[1], known[2](text))]
  const encoded = encodeURIComponent(text)
  return [
    entryOf('user', text, 'User with this id', `/users/${encoded}`),
    entryOf('message', text, 'Events with this messageId', `/events?messageId=${encoded}`),
  ]
}

function entryOf(key: string, name: string, kind: string, to: string): PaletteEntry {
  return { key, name, kind, to }
}
