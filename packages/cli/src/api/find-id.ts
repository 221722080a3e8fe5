import { type IdPrefix, isId } from '@hookline/protocol'
import { Failure } from '../failure.ts'
import { listItems } from './list-items.ts'
import type { ManagementApi } from './management-api.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** A kind of thing that a command takes by its id, and by its name if it has one. */
interface Kind {
  readonly prefix: IdPrefix
  readonly noun: string
  /** The command that lists them. */
  readonly command: string
  /** All of them; absent if they have no names. */
  readonly all?: (api: ManagementApi) => Promise<readonly Named[]>
}

const KINDS = {
  source: {
    prefix: 'src',
    noun: 'a source',
    command: 'sources list',
    all: (api) => listItems(api.listSources),
  },
  destination: {
    prefix: 'dst',
    noun: 'a destination',
    command: 'destinations list',
    all: (api) => listItems(api.listDestinations),
  },
  audience: {
    prefix: 'aud',
    noun: 'an audience',
    command: 'audiences list',
    all: (api) => listItems(api.listAudiences),
  },
  trait: {
    prefix: 'trt',
    noun: 'a computed trait',
    command: 'traits list',
    all: (api) => listItems(api.listTraits),
  },
  token: {
    prefix: 'tok',
    noun: 'a token',
    command: 'tokens list',
    all: (api) => listItems(api.listTokens),
  },
  session: { prefix: 'ses', noun: 'a session', command: 'sessions list' },
  event: { prefix: 'evt', noun: 'an event', command: 'events list' },
  delivery: { prefix: 'msg', noun: 'a delivery', command: 'deliveries list' },
  replay: { prefix: 'rpl', noun: 'a replay', command: 'replays list' },
  request: { prefix: 'req', noun: 'a request to the inspector', command: 'inspector list' },
  deletion: { prefix: 'del', noun: 'a deletion', command: 'deletions list' },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/**
 * The id that a user gave, or the id of the only thing with the name that the user gave. The service tells whether an id
 * exists. @throws {Failure} `not found` for what is neither; `usage` for a name that several things have
 */
export async function idOf(api: ManagementApi, kindName: KindName, given: string): Promise<string> {
  const kind: Kind = KINDS[kindName]
  if (isId(kind.prefix, given)) return given
  const other = kindOf(given)
  if (other !== undefined)
    throw unknown(`${given} is the id of ${KINDS[other].noun}, not of ${kind.noun}.`, kind)
  // Not an id, though it begins like one: perhaps a name. Otherwise the service tells what it is.
  const isLikeId = given.startsWith(`${kind.prefix}_`)
  if (kind.all === undefined) {
    if (isLikeId) return given
    throw unknown(
      `${quoted(given)} is not the id of ${kind.noun}: such ids are ${kind.prefix}_ and 26 letters and digits.`,
      kind,
    )
  }
  const all = await kind.all(api)
  const found = all.filter(({ name }) => name === given)
  const [only] = found
  if (only === undefined && isLikeId) return given
  if (only === undefined) {
    const message = `No ${kind.noun.replace(/^an? /, '')} has the id or the name ${quoted(given)}.`
    throw unknown(message + suggestion(given, all), kind)
  }
  if (found.length === 1) return only.id
  const ids = found.map(({ id }) => id).join(', ')
  throw new Failure('usage', `${found.length} have the name ${quoted(given)}: ${ids}.`, {
    hint: 'Give the id of one of them.',
  })
}

/** The name that differs only in case, if one does. */
function suggestion(given: string, all: readonly Named[]): string {
  const alike = all.find(({ name }) => name.toLowerCase() === given.toLowerCase())
  return alike === undefined ? '' : ` Did you mean ${quoted(alike.name)}?`
}

/** What a text is the id of; `undefined` if it has the form of no id. */
export function kindOf(text: string): KindName | undefined {
  const kinds = Object.keys(KINDS) as KindName[]
  return kinds.find((each) => isId(KINDS[each].prefix, text))
}

/** What a thing is called, and the command that shows it. */
export function showCommandOf(kind: KindName, id: string): { noun: string; command: string } {
  const { noun, command } = KINDS[kind]
  // Tokens are only listed.
  return { noun, command: kind === 'token' ? command : `${command.replace(/list$/, 'get')} ${id}` }
}

/** The same for several. */
export async function idsOf(
  api: ManagementApi,
  kind: KindName,
  given: readonly string[],
): Promise<string[]> {
  return Promise.all(given.map((each) => idOf(api, kind, each)))
}

/** The same for an option that need not be given. */
export async function optionalIdOf(
  api: ManagementApi,
  kind: KindName,
  given: string | undefined,
): Promise<string | undefined> {
  return given === undefined ? undefined : idOf(api, kind, given)
}

function unknown(message: string, { command }: Kind): Failure {
  return new Failure('not found', message, { hint: `\`hookline ${command}\` shows what there is.` })
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
