import {
  type Audience,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
  type Destination,
  keyOfName,
  LIMITS,
  type Pause,
  type Source,
} from '@hookline/protocol'
import { isDeepStrictEqual } from 'node:util'
import { referenceFaults } from '../../audiences/conditions/references.ts'
import { validateCompute } from '../../audiences/conditions/validate-compute.ts'
import { validateCondition } from '../../audiences/conditions/validate-condition.ts'
import { type CatalogSnapshot, snapshotOf } from '../../backend/catalog.ts'
import { type Fault, fault, faultsBelow } from '../../util/fault.ts'
import { destinationFaults, keyFaults, spaceFaults } from '../computations/computation.ts'
import { withToggle } from '../destinations/destinations.ts'
import { parseWebhooksSettings } from '../destinations/settings.ts'
import { Problem } from '../problems/problem.ts'
import { newWriteKey } from '../sources.ts'
import type {
  ConfigurationDocument,
  DestinationEntry,
  SourceEntry,
} from './configuration-document.ts'

export type CatalogRecord = Source | Destination | Computation

/** One record after the import, and before it. */
export interface Planned<T extends CatalogRecord> {
  readonly next: T
  readonly before: T | undefined
  /** The fields that differ. */
  readonly fields: readonly string[]
}

/** The records that an import writes to the catalog. */
export interface ImportPlan {
  readonly sources: readonly Planned<Source>[]
  readonly destinations: readonly Planned<Destination>[]
  readonly computations: readonly Planned<Computation>[]
}

/**
 * Compares the document with the catalog and plans the changes. Writes nothing.
 * @throws {Problem} `invalid_body` with all faults of the document
 */
export function planImport(
  document: ConfigurationDocument,
  current: CatalogSnapshot,
  { now, allowedPorts }: { readonly now: number; readonly allowedPorts: ReadonlySet<number> },
): ImportPlan {
  const faults: Fault[] = [
    ...repeatedIds(document),
    ...unusableKeys(document),
    ...takenKeys(document, current),
  ]
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
  const after = catalogAfter(current, sources, destinations)
  const computations = planComputations(document, after, now, faults)
  if (faults.length > 0) throw new Problem('invalid_body', { faults })
  return { sources, destinations, computations }
}

function planSource(
  { writeKeys, space, ...entry }: SourceEntry,
  before: Source | undefined,
  now: number,
): Planned<Source> {
  const kept = before?.writeKeys ?? [newWriteKey(now)]
  const keys = writeKeys?.map(
    (key) => kept.find((each) => each.key === key) ?? { key, createdAt: now },
  )
  const record = { ...before, ...dates(before, now), ...entry, writeKeys: keys ?? kept }
  // The default is stored as absent or by its name: neither is a change of the other.
  const isSame = space === undefined || space === (before?.space ?? DEFAULT_SPACE)
  return planned<Source>(isSame ? record : { ...record, space }, before)
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
  if ('faults' in parsed) return [...faults, ...faultsBelow(`${at}/settings`, parsed.faults)]
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

/** The catalog after the import, but without the audiences and traits of the document. */
function catalogAfter(
  current: CatalogSnapshot,
  sources: readonly Planned<Source>[],
  destinations: readonly Planned<Destination>[],
): CatalogSnapshot {
  const next = <T extends { readonly id: string }>(
    kept: ReadonlyMap<string, T>,
    all: readonly { readonly next: T }[],
  ) => new Map([...kept, ...all.map((each) => [each.next.id, each.next] as const)]).values()
  return snapshotOf(
    next(current.sources, sources),
    next(current.destinations, destinations),
    current.computations.values(),
  )
}

function repeatedIds(document: ConfigurationDocument): Fault[] {
  const all = (['sources', 'destinations', 'audiences', 'traits'] as const).flatMap((list) =>
    (document[list] ?? []).map(({ id }, index) => [id, `/${list}/${index}/id`] as const),
  )
  return all
    .filter(([id], index) => all.findIndex((each) => each[0] === id) !== index)
    .map(([, at]) => fault(at, 'not_unique', 'Another entry has this id.', 'Keep one of the two.'))
}

/** A fault for each write key that no path can name: clients resolve it away. */
function unusableKeys({ sources }: ConfigurationDocument): Fault[] {
  return sources.flatMap(({ writeKeys = [] }, index) =>
    writeKeys.flatMap((key, at) => {
      if (key !== '.' && key !== '..') return []
      const hint = 'Leave it out: the source gets a key of its own.'
      const pointer = `/sources/${index}/writeKeys/${at}`
      return [fault(pointer, 'invalid', 'A write key is part of a URL, and cannot be dots.', hint)]
    }),
  )
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

/** An entry, and its place in the document. */
interface Placed {
  readonly record: Computation
  readonly at: string
}

/**
 * Plans the audiences and computed traits of a document, and appends what is wrong with them to `faults`.
 * @param current the catalog with everything else of the document
 */
function planComputations(
  document: ConfigurationDocument,
  current: CatalogSnapshot,
  now: number,
  faults: Fault[],
): readonly Planned<Computation>[] {
  const existing = current.computations
  const all = placedRecords(document, existing, now)
  const computations = new Map([
    ...existing,
    ...all.map(({ record }) => [record.id, record] as const),
  ])
  const after = { ...current, computations }
  const invalid = all.flatMap(formFaults)
  faults.push(...invalid)
  // Only valid conditions can be followed to what they refer to.
  if (invalid.length === 0)
    faults.push(...all.flatMap((each) => placeFaults(each, after, existing.get(each.record.id))))
  faults.push(...tooMany(after))
  return all.map(({ record }) => planned(record, existing.get(record.id)))
}

function placedRecords(
  { audiences = [], traits = [] }: ConfigurationDocument,
  existing: CatalogSnapshot['computations'],
  now: number,
): readonly Placed[] {
  const datesOf = ({ id }: { readonly id: string }) => dates(existing.get(id), now)
  return [
    ...audiences.map((entry, index) => {
      const record: Audience = { ...entry, ...datesOf(entry), kind: 'audience' }
      return { record, at: `/audiences/${index}` }
    }),
    ...traits.map((entry, index) => {
      const record: ComputedTrait = { ...entry, ...datesOf(entry), kind: 'trait' }
      return { record, at: `/traits/${index}` }
    }),
  ]
}

/** What is wrong with the definition itself. */
function formFaults({ record, at }: Placed): readonly Fault[] {
  const [valid, field] =
    record.kind === 'trait'
      ? [validateCompute(record.compute), 'compute']
      : [record.condition === null ? {} : validateCondition(record.condition), 'condition']
  return 'faults' in valid ? faultsBelow(`${at}/${field}`, valid.faults) : []
}

/** What is wrong with the record among the others. */
function placeFaults(
  { record, at }: Placed,
  after: CatalogSnapshot,
  before: Computation | undefined,
): readonly Fault[] {
  const isReferring = record.kind === 'audience' && record.condition !== null
  const references = isReferring
    ? referenceFaults({ ...record, condition: record.condition }, after.computations)
    : []
  return [
    ...(before === undefined ? newFaults(record, after, at) : fixedFaults(record, before, at)),
    ...keyFaults(record, after.computations.values(), `${at}/key`),
    ...destinationFaults(record.destinationIds, after.destinations, `${at}/destinationIds`),
    ...faultsBelow(`${at}/condition`, references),
  ]
}

function newFaults(
  { key, space }: Computation,
  { sources }: CatalogSnapshot,
  at: string,
): readonly Fault[] {
  const faults = spaceFaults(space, sources.values(), `${at}/space`)
  if (keyOfName(key) === key) return faults
  const hint = `Give the name in snake_case, such as ${keyOfName(key)}.`
  return [...faults, fault(`${at}/key`, 'wrong_form', 'key is not in snake_case.', hint)]
}

function fixedFaults(next: Computation, before: Computation, at: string): readonly Fault[] {
  const hint = 'Give the entry a new id, or keep what it has.'
  const changed = (['key', 'space'] as const).filter((name) => next[name] !== before[name])
  return [
    ...changed.map((name) => fault(`${at}/${name}`, 'fixed', `${name} cannot be changed.`, hint)),
    ...(isManual(next) === isManual(before)
      ? []
      : [fault(`${at}/condition`, 'fixed', 'A manual audience stays one.', hint)]),
  ]
}

function isManual(record: Computation): boolean {
  return record.kind === 'audience' && record.condition === null
}

function tooMany({ computations }: CatalogSnapshot): readonly Fault[] {
  if (computations.size <= LIMITS.computations) return []
  const message = `There would be ${computations.size} audiences and computed traits.`
  return [fault('', 'too_many', message, `Keep at most ${LIMITS.computations}.`)]
}

const BOOKKEEPING = ['createdAt', 'updatedAt', 'version', 'enabledChangedAt']

/** The record after the import, compared with the one before it. */
function planned<T extends CatalogRecord>(next: T, before: T | undefined): Planned<T> {
  const names = Object.keys(next).filter((name) => !BOOKKEEPING.includes(name)) as (keyof T &
    string)[]
  const fields = names.filter((name) => !isDeepStrictEqual(next[name], before?.[name]))
  return { next, before, fields }
}

/** The dates and the version of a record after the import. */
function dates(before: CatalogRecord | undefined, now: number) {
  const { createdAt = now, version = 0 } = before ?? {}
  return { createdAt, updatedAt: now, version: version + 1 }
}
