import {
  type Audience,
  type Computation,
  type ComputedTrait,
  keyOfName,
  LIMITS,
} from '@hookline/protocol'
import { referenceFaults } from '../../audiences/conditions/reference-faults.ts'
import { validateCompute } from '../../audiences/conditions/validate-compute.ts'
import { validateCondition } from '../../audiences/conditions/validate-condition.ts'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { type Fault, fault, faultsBelow } from '../../util/fault.ts'
import { destinationFaults, keyFaults, spaceFaults } from '../computations/computation-faults.ts'
import type { ConfigurationDocument } from './configuration-document.ts'
import { dates, planned, type Planned } from './planned.ts'

interface ComputationsPlan {
  readonly planned: readonly Planned<Computation>[]
  readonly faults: readonly Fault[]
}

/** An entry, and its place in the document. */
interface Placed {
  readonly record: Computation
  readonly at: string
}

/** Plans the audiences and computed traits of a document. @param after the catalog with everything else of the document */
export function planComputations(
  document: ConfigurationDocument,
  { after, now }: { readonly after: CatalogSnapshot; readonly now: number },
): ComputationsPlan {
  const existing = after.computations
  const all = placedRecords(document, existing, now)
  const computations = new Map([
    ...existing,
    ...all.map(({ record }) => [record.id, record] as const),
  ])
  const complete = { ...after, computations }
  const invalid = all.flatMap(formFaults)
  // Only valid conditions can be followed to what they refer to.
  const faults =
    invalid.length > 0
      ? invalid
      : all.flatMap((each) => placeFaults(each, complete, existing.get(each.record.id)))
  return {
    planned: all.map(({ record }) => planned(record, existing.get(record.id))),
    faults: [...faults, ...tooMany(complete)],
  }
}

function placedRecords(
  { audiences = [], traits = [] }: ConfigurationDocument,
  existing: CatalogSnapshot['computations'],
  now: number,
): readonly Placed[] {
  return [
    ...audiences.map((entry, index) => {
      const bookkeeping = dates(existing.get(entry.id), now)
      const record: Audience = { ...entry, ...bookkeeping, kind: 'audience' }
      return { record, at: `/audiences/${index}` }
    }),
    ...traits.map((entry, index) => {
      const bookkeeping = dates(existing.get(entry.id), now)
      const record: ComputedTrait = { ...entry, ...bookkeeping, kind: 'trait' }
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
