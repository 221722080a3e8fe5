import {
  type Audience,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
  type Destination,
  keyOfName,
  LIMITS,
  type Source,
} from '@hookline/protocol'
import { isDeepStrictEqual } from 'node:util'
import { referenceErrors } from '../../audiences/conditions/references.ts'
import { validateCompute } from '../../audiences/conditions/validate-compute.ts'
import { validateCondition } from '../../audiences/conditions/validate-condition.ts'
import { type CatalogSnapshot, withChange } from '../../backend/catalog.ts'
import { type FieldError, fieldError, errorsBelow } from '../../util/field-error.ts'
import { destinationErrors, keyErrors, spaceErrors } from '../computations/computation.ts'
import type { CatalogRecord } from '../api/catalog-records.ts'
import { missingSources, sourceErrors, withEnabledChangedAt } from '../destinations/destinations.ts'
import { parseSourceFields } from '../destinations/routing-settings.ts'
import { parseWebhooksSettings, type SettingsRules } from '../destinations/settings.ts'
import { Problem } from '../problems/problem.ts'
import { newWriteKey } from '../sources.ts'
import type {
  ConfigurationDocument,
  DestinationEntry,
  SourceEntry,
} from './configuration-document.ts'

/** A record before and after the import. */
export interface PlannedRecord<T extends CatalogRecord> {
  readonly next: T
  readonly before: T | undefined
  /** The fields that differ. */
  readonly fields: readonly string[]
}

export interface ImportPlan {
  readonly sources: readonly PlannedRecord<Source>[]
  readonly destinations: readonly PlannedRecord<Destination>[]
  readonly computations: readonly PlannedRecord<Computation>[]
}

/** The records after the import. */
export function nextOf<T extends CatalogRecord>(planned: readonly PlannedRecord<T>[]): T[] {
  return planned.map(({ next }) => next)
}

/**
 * Compares the document with the catalog and plans the changes. Writes nothing.
 * @throws {Problem} `invalid_body` with all errors in the document
 */
export function planImport(
  document: ConfigurationDocument,
  current: CatalogSnapshot,
  now: number,
  rules: SettingsRules,
): ImportPlan {
  const errors = [...repeatedIds(document), ...sharedKeys(document, current)]
  const sources = document.sources.map(({ fields: input, ...entry }, index) => {
    const before = current.sources.get(entry.id)
    const fieldErrors: FieldError[] = []
    const fields =
      input === undefined ? before?.fields : parseSourceFields(input, fieldErrors, before?.fields)
    errors.push(...errorsBelow(`/sources/${index}`, fieldErrors))
    return planSource(entry, { before, fields, now })
  })
  const missing = missingSources(document.destinations, current, now)
  sources.push(...missing.map((source) => planRecord<Source>(source, undefined)))
  const put = { sources: nextOf(sources), destinations: [] }
  const withSources = withChange(current, { put, removed: [] })
  const destinations = document.destinations.flatMap((entry, index) => {
    const before = current.destinations.get(entry.id)
    const options = { ...rules, now, isImport: true }
    const parsed = parseWebhooksSettings(entry.settings, before?.settings, options)
    const isMoved = before !== undefined && before.sourceId !== entry.sourceId
    const entryErrors = [
      ...sourceErrors(withSources, entry),
      ...(isMoved ? [MOVED] : []),
      ...('errors' in parsed ? errorsBelow('/settings', parsed.errors) : []),
    ]
    errors.push(...errorsBelow(`/destinations/${index}`, entryErrors))
    if ('errors' in parsed || entryErrors.length > 0) return []
    return [planDestination({ ...entry, settings: parsed.settings }, before, now)]
  })
  const computations = planComputations(document, current.computations, now)
  errors.push(...computationErrors(computations, withSources, nextOf(destinations)))
  if (errors.length > 0) throw new Problem('invalid_body', { errors })
  return { sources, destinations, computations }
}

const MOVED = fieldError(
  '/sourceId',
  'immutable',
  'sourceId cannot be changed.',
  'Give the destination a new id, or keep its source.',
)

function planSource(
  { writeKeys, space, ...entry }: Omit<SourceEntry, 'fields'>,
  context: Pick<PlannedRecord<Source>, 'before'> & {
    readonly fields: Source['fields'] | undefined
    readonly now: number
  },
): PlannedRecord<Source> {
  const { before, fields, now } = context
  const stored = before?.writeKeys ?? [newWriteKey(now)]
  const keys = writeKeys?.map(
    (key) => stored.find((each) => each.key === key) ?? { key, createdAt: now },
  )
  const { fields: _, ...rest } = before ?? {}
  const record = {
    ...rest,
    ...dates(before, now),
    ...entry,
    ...(fields && { fields }),
    writeKeys: keys ?? stored,
  }
  // A source stored without a space is in the default space.
  const isSameSpace = space === undefined || space === (before?.space ?? DEFAULT_SPACE)
  return planRecord<Source>(isSameSpace ? record : { ...record, space }, before)
}

function planDestination(
  { paused, ...entry }: DestinationEntry & Pick<Destination, 'settings'>,
  before: Destination | undefined,
  now: number,
): PlannedRecord<Destination> {
  // A destination that remains paused keeps the start and the reason of its pause.
  const pause = before?.paused ?? { since: now, reason: 'operator' }
  const isPaused = paused ?? (before?.paused ?? null) !== null
  const record = { ...before, ...entry, ...dates(before, now), paused: isPaused ? pause : null }
  return planRecord<Destination>(withEnabledChangedAt(record, before, now), before)
}

function repeatedIds(document: ConfigurationDocument): FieldError[] {
  const seen = new Set<string>()
  const lists = ['sources', 'destinations', 'audiences', 'traits'] as const
  return lists.flatMap((list) =>
    (document[list] ?? []).flatMap(({ id }, index) => {
      if (!seen.has(id)) {
        seen.add(id)
        return []
      }
      const at = `/${list}/${index}/id`
      return fieldError(at, 'not_unique', 'Duplicate id.', 'Remove one of the entries.')
    }),
  )
}

/** An error for each write key that two sources would share. The error does not contain the key. */
function sharedKeys(
  { sources }: ConfigurationDocument,
  { sourceByWriteKey }: CatalogSnapshot,
): FieldError[] {
  const owners = new Map<string, string>()
  const hint = 'Omit it here, or remove it from the other source.'
  return sources.flatMap(({ id, writeKeys = [] }, index) =>
    writeKeys.flatMap((key, keyIndex) => {
      const owner = owners.get(key) ?? sourceByWriteKey.get(key)?.id ?? id
      owners.set(key, id)
      if (owner === id) return []
      const pointer = `/sources/${index}/writeKeys/${keyIndex}`
      return fieldError(pointer, 'not_unique', 'Another source has this write key.', hint)
    }),
  )
}

/** `at` is the pointer to the entry in the document. */
type PlannedComputation = PlannedRecord<Computation> & { readonly at: string }

function planComputations(
  { audiences = [], traits = [] }: ConfigurationDocument,
  existing: CatalogSnapshot['computations'],
  now: number,
): readonly PlannedComputation[] {
  const plan = (
    entry: Omit<Audience, keyof Dates> | Omit<ComputedTrait, keyof Dates>,
    at: string,
  ) => {
    const before = existing.get(entry.id)
    return { ...planRecord<Computation>({ ...entry, ...dates(before, now) }, before), at }
  }
  return [
    ...audiences.map((each, index) => plan({ ...each, kind: 'audience' }, `/audiences/${index}`)),
    ...traits.map((each, index) => plan({ ...each, kind: 'trait' }, `/traits/${index}`)),
  ]
}

/** @param withSources the catalog with the sources of the document */
function computationErrors(
  planned: readonly PlannedComputation[],
  withSources: CatalogSnapshot,
  destinations: readonly Destination[],
): readonly FieldError[] {
  const put = { sources: [], destinations, computations: nextOf(planned) }
  const after = withChange(withSources, { put, removed: [] })
  const invalid = planned.flatMap((each) => errorsBelow(each.at, definitionErrors(each.next)))
  // References can be checked only if every definition is valid.
  const others =
    invalid.length > 0
      ? []
      : planned.flatMap((each) => errorsBelow(each.at, catalogErrors(each, after)))
  const { size } = after.computations
  if (size <= LIMITS.computations) return [...invalid, ...others]
  const message = `The import would result in ${size} audiences and computed traits.`
  const tooMany = fieldError('', 'too_many', message, `The maximum is ${LIMITS.computations}.`)
  return [...invalid, ...others, tooMany]
}

function definitionErrors(record: Computation): readonly FieldError[] {
  const [result, field] =
    record.kind === 'trait'
      ? [validateCompute(record.compute), '/compute']
      : [record.condition === null ? {} : validateCondition(record.condition), '/condition']
  return 'errors' in result ? errorsBelow(field, result.errors) : []
}

/** Conflicts of a record with the rest of the catalog. */
function catalogErrors(
  { next, before }: PlannedRecord<Computation>,
  { computations, destinations, sources }: CatalogSnapshot,
): readonly FieldError[] {
  const references =
    next.kind === 'audience' && next.condition !== null
      ? referenceErrors({ ...next, condition: next.condition }, computations)
      : []
  return [
    ...(before ? immutableErrors(next, before) : spaceErrors(next.space, sources.values())),
    ...(before ? [] : formatErrors(next.key)),
    ...keyErrors(next, computations.values(), '/key'),
    ...destinationErrors(next.destinationIds, destinations),
    ...errorsBelow('/condition', references),
  ]
}

function formatErrors(key: string): readonly FieldError[] {
  if (keyOfName(key) === key) return []
  const hint = `Use snake_case, such as ${keyOfName(key)}.`
  return [fieldError('/key', 'invalid_format', 'key is not in snake_case.', hint)]
}

function immutableErrors(next: Computation, before: Computation): readonly FieldError[] {
  const hint = 'Give the entry a new id, or keep the current value.'
  const changed = (['key', 'space'] as const).filter((name) => next[name] !== before[name])
  const errors = changed.map((name) =>
    fieldError(`/${name}`, 'immutable', `${name} cannot be changed.`, hint),
  )
  if (isManual(next) === isManual(before)) return errors
  return [
    ...errors,
    fieldError('/condition', 'immutable', 'A condition cannot be added or removed.', hint),
  ]
}

function isManual(record: Computation): boolean {
  return record.kind === 'audience' && record.condition === null
}

const BOOKKEEPING = ['createdAt', 'updatedAt', 'version', 'enabledChangedAt']

function planRecord<T extends CatalogRecord>(next: T, before: T | undefined): PlannedRecord<T> {
  // A field that only the previous record has is removed.
  const names = Object.keys({ ...before, ...next }).filter(
    (name) => !BOOKKEEPING.includes(name),
  ) as (keyof T & string)[]
  const fields = names.filter((name) => !isDeepStrictEqual(next[name], before?.[name]))
  return { next, before, fields }
}

type Dates = Pick<CatalogRecord, 'createdAt' | 'updatedAt' | 'version'>

/** The dates and the version of a record after the import. */
function dates(before: CatalogRecord | undefined, now: number): Dates {
  const { createdAt = now, version = 0 } = before ?? {}
  return { createdAt, updatedAt: now, version: version + 1 }
}
