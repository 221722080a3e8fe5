import type { Destination, Pause, Source } from '@hookline/protocol'
import { isDeepStrictEqual } from 'node:util'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { parseWebhooksSettings } from '../../destination-settings/webhooks/settings.ts'
import { type Fault, fault } from '../../util/fault.ts'
import type {
  DestinationEntry,
  ConfigurationDocument,
  SourceEntry,
} from './configuration-document.ts'
import { withToggle } from '../destinations/toggle.ts'
import { Problem } from '../problems/problem.ts'
import { newWriteKey } from '../sources/write-key.ts'

/** One record after the import, and before it. */
export interface Planned<T extends Source | Destination> {
  readonly next: T
  readonly before: T | undefined
  /** The fields that differ. */
  readonly fields: readonly string[]
}

/** The records that an import writes to the catalog. */
export interface ImportPlan {
  readonly sources: readonly Planned<Source>[]
  readonly destinations: readonly Planned<Destination>[]
}

const BOOKKEEPING = ['createdAt', 'updatedAt', 'version', 'enabledChangedAt']

/**
 * Compares the document with the catalog and plans the changes. Writes nothing.
 * @throws {Problem} `invalid_body` with all faults of the document
 */
export function planImport(
  document: ConfigurationDocument,
  current: CatalogSnapshot,
  { now, allowedPorts }: { readonly now: number; readonly allowedPorts: ReadonlySet<number> },
): ImportPlan {
  const faults: Fault[] = [...repeatedIds(document), ...takenKeys(document, current)]
  const sourceIds = new Set([...current.sources.keys(), ...document.sources.map(({ id }) => id)])
  const sources = document.sources.map((entry) =>
    planSource(entry, current.sources.get(entry.id), now),
  )
  const destinations = document.destinations.flatMap((entry, index) => {
    const at = `/destinations/${index}`
    const before = current.destinations.get(entry.id)
    const outcome = planDestination(entry, before, { at, sourceIds, now, allowedPorts })
    if (!Array.isArray(outcome)) return [outcome]
    faults.push(...outcome)
    return []
  })
  if (faults.length > 0) throw new Problem('invalid_body', { faults })
  return { sources, destinations }
}

function planSource(
  { writeKeys, ...entry }: SourceEntry,
  before: Source | undefined,
  now: number,
): Planned<Source> {
  const kept = before?.writeKeys ?? [newWriteKey(now)]
  const keys = writeKeys?.map(
    (key) => kept.find((each) => each.key === key) ?? { key, createdAt: now },
  )
  return planned({ ...dates(before, now), ...entry, writeKeys: keys ?? kept }, before)
}

function planDestination(
  { settings: given, paused, ...entry }: DestinationEntry,
  before: Destination | undefined,
  context: {
    readonly at: string
    readonly sourceIds: ReadonlySet<string>
    readonly now: number
    readonly allowedPorts: ReadonlySet<number>
  },
): Planned<Destination> | Fault[] {
  const { at, sourceIds, now, allowedPorts } = context
  const faults: Fault[] = []
  if (!sourceIds.has(entry.sourceId)) {
    const hint = 'Use the id of a source in the document, or of an existing source.'
    faults.push(fault(`${at}/sourceId`, 'unknown_source', 'No source has this id.', hint))
  }
  if (before !== undefined && before.sourceId !== entry.sourceId) {
    const hint = 'Give the destination a new id, or keep its source.'
    faults.push(fault(`${at}/sourceId`, 'fixed', 'sourceId cannot be changed.', hint))
  }
  const parsed = parseWebhooksSettings(given, before?.settings, allowedPorts)
  if ('faults' in parsed) {
    const pointed = parsed.faults.map((each) => ({
      ...each,
      pointer: `${at}/settings${each.pointer}`,
    }))
    return [...faults, ...pointed]
  }
  if (faults.length > 0) return faults
  const record = {
    ...before,
    ...entry,
    ...dates(before, now),
    paused: pauseOf(paused, before?.paused ?? null, now),
    settings: parsed.settings,
  }
  return planned<Destination>(withToggle(record, before, now), before)
}

/** A destination that stays paused keeps the start and the reason of its pause. */
function pauseOf(wanted: boolean | undefined, before: Pause | null, now: number): Pause | null {
  if (wanted === undefined) return before
  return wanted ? (before ?? { since: now, reason: 'operator' }) : null
}

function dates(before: Source | Destination | undefined, now: number) {
  const { createdAt = now, version = 0 } = before ?? {}
  return { createdAt, updatedAt: now, version: version + 1 }
}

function planned<T extends Source | Destination>(next: T, before: T | undefined): Planned<T> {
  const names = Object.keys(next).filter((name) => !BOOKKEEPING.includes(name)) as (keyof T &
    string)[]
  const fields = names.filter((name) => !isDeepStrictEqual(next[name], before?.[name]))
  return { next, before, fields }
}

function repeatedIds({ sources, destinations }: ConfigurationDocument): Fault[] {
  const all = [
    ...sources.map(({ id }, index) => [id, `/sources/${index}/id`] as const),
    ...destinations.map(({ id }, index) => [id, `/destinations/${index}/id`] as const),
  ]
  return all
    .filter(([id], index) => all.findIndex((each) => each[0] === id) !== index)
    .map(([, at]) => fault(at, 'not_unique', 'Another entry has this id.', 'Keep one of the two.'))
}

/** A fault for each write key that two sources would have. The fault does not contain the key. */
function takenKeys(
  { sources }: ConfigurationDocument,
  { sourceByWriteKey }: CatalogSnapshot,
): Fault[] {
  const owners = new Map<string, string>()
  return sources.flatMap(({ id, writeKeys = [] }, index) =>
    writeKeys.flatMap((key, at) => {
      const owner = owners.get(key) ?? sourceByWriteKey.get(key)?.id ?? id
      owners.set(key, id)
      const hint =
        'A write key belongs to one source: leave it out here, or remove it from the other source.'
      const pointer = `/sources/${index}/writeKeys/${at}`
      return owner === id
        ? []
        : [fault(pointer, 'not_unique', 'Another source has this write key.', hint)]
    }),
  )
}
