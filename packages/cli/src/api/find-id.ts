import { type IdPrefix, isId } from '@hookline/protocol'
import { Failure } from '../failure.ts'
import { listItems } from './list-items.ts'
import type { ManagementApi } from './management-api.ts'

interface Named {
  readonly id: string
  readonly name: string
}

interface Kind {
  readonly prefix: IdPrefix
  readonly noun: string
  readonly nouns: string
  /** The command that lists these resources. */
  readonly command: string
  /** Absent if they have no names. */
  readonly all?: (api: ManagementApi) => Promise<readonly Named[]>
}

const KINDS = {
  source: {
    prefix: 'src',
    noun: 'a source',
    nouns: 'sources',
    command: 'sources list',
    all: (api) => listItems(api.listSources),
  },
  destination: {
    prefix: 'dst',
    noun: 'a destination',
    nouns: 'destinations',
    command: 'destinations list',
    all: (api) => listItems(api.listDestinations),
  },
  audience: {
    prefix: 'aud',
    noun: 'an audience',
    nouns: 'audiences',
    command: 'audiences list',
    all: (api) => listItems(api.listAudiences),
  },
  trait: {
    prefix: 'trt',
    noun: 'a computed trait',
    nouns: 'computed traits',
    command: 'traits list',
    all: (api) => listItems(api.listTraits),
  },
  token: {
    prefix: 'tok',
    noun: 'a token',
    nouns: 'tokens',
    command: 'tokens list',
    all: (api) => listItems(api.listTokens),
  },
  session: { prefix: 'ses', noun: 'a session', nouns: 'sessions', command: 'sessions list' },
  event: { prefix: 'evt', noun: 'an event', nouns: 'events', command: 'events list' },
  delivery: { prefix: 'msg', noun: 'a delivery', nouns: 'deliveries', command: 'deliveries list' },
  replay: { prefix: 'rpl', noun: 'a replay', nouns: 'replays', command: 'replays list' },
  request: {
    prefix: 'req',
    noun: 'a request to the inspector',
    nouns: 'requests to the inspector',
    command: 'inspector list',
  },
  deletion: { prefix: 'del', noun: 'a deletion', nouns: 'deletions', command: 'deletions list' },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/**
 * Resolves an id or a unique name. The service reports ids that do not exist.
 * @throws {Failure} `not found` for an unknown name; `usage` for an ambiguous name
 */
export async function idOf(api: ManagementApi, name: KindName, idOrName: string): Promise<string> {
  const kind: Kind = KINDS[name]
  if (isId(kind.prefix, idOrName)) return idOrName
  const other = kindOf(idOrName)
  if (other !== undefined)
    throw notFoundFailure(
      `${idOrName} is the id of ${KINDS[other].noun}, not of ${kind.noun}.`,
      kind,
    )
  const quoted = JSON.stringify(idOrName)
  const all = (await kind.all?.(api)) ?? []
  const found = all.filter((each) => each.name === idOrName)
  if (found.length === 1) return found[0]!.id
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ')
    throw new Failure('usage', `The name ${quoted} is not unique: ${ids}.`, {
      hint: 'Pass the id of one of them.',
    })
  }
  // The service explains the error.
  if (idOrName.startsWith(`${kind.prefix}_`)) return idOrName
  if (kind.all === undefined)
    throw notFoundFailure(`${quoted} is not the id of ${kind.noun}.`, kind)
  const alike = all.find((each) => each.name.toLowerCase() === idOrName.toLowerCase())
  const suggestion = alike === undefined ? '' : ` Did you mean ${JSON.stringify(alike.name)}?`
  const noun = kind.noun.replace(/^an? /, '')
  throw notFoundFailure(`No ${noun} has the id or name ${quoted}.${suggestion}`, kind)
}

export function kindOf(id: string): KindName | undefined {
  const kinds = Object.keys(KINDS) as KindName[]
  return kinds.find((each) => isId(KINDS[each].prefix, id))
}

/** The noun for this kind, and the command that shows the resource with this id. */
export function showCommandOf(kind: KindName, id: string): { noun: string; command: string } {
  const { noun, command } = KINDS[kind]
  // Tokens and sessions have no `get`.
  const hasGet = kind !== 'token' && kind !== 'session'
  return { noun, command: hasGet ? `${command.replace(/list$/, 'get')} ${id}` : command }
}

export function idsOf(
  api: ManagementApi,
  kind: KindName,
  idsOrNames: readonly string[],
): Promise<string[]> {
  return Promise.all(idsOrNames.map((each) => idOf(api, kind, each)))
}

export async function optionalIdOf(
  api: ManagementApi,
  kind: KindName,
  idOrName: string | undefined,
): Promise<string | undefined> {
  return idOrName === undefined ? undefined : idOf(api, kind, idOrName)
}

/**
 * Checks that the ids in a filter exist. Lists call this only if nothing matched, because records of
 * deleted sources can still be found.
 * @throws {Failure} `not found`
 */
export async function requireKnown(
  api: ManagementApi,
  {
    sourceId,
    destinationId,
  }: { sourceId?: string | undefined; destinationId?: string | undefined },
): Promise<void> {
  if (sourceId !== undefined) await api.getSource(sourceId)
  if (destinationId !== undefined) await api.getDestination(destinationId)
}

function notFoundFailure(message: string, { command, nouns }: Kind): Failure {
  return new Failure('not found', message, { hint: `\`hookline ${command}\` lists all ${nouns}.` })
}
