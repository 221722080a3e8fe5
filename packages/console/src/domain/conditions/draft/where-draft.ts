import { FILTER_FIELDS, isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import {
  type ComparisonDraft,
  comparisonDraftOf,
  comparisonOf,
  isComparisonComplete,
  NEW_COMPARISON,
} from './comparison-draft.ts'
import { describeComparison, nameText } from './words.ts'
import { draftId, textOf } from './written.ts'

const CONTAINERS = ['property', 'trait', 'context'] as const

/** The compared value: at a path, or a field without a path. */
export type Subject = (typeof CONTAINERS)[number] | (typeof FILTER_FIELDS)[number]

export const SUBJECTS: readonly Subject[] = [...CONTAINERS, ...FILTER_FIELDS]

/** A comparison with a value of the event. */
export interface WhereDraft {
  readonly id: string
  readonly subject: Subject
  /** '' for a field. */
  readonly path: string
  readonly comparison: ComparisonDraft
}

export function hasPath(subject: Subject): subject is (typeof CONTAINERS)[number] {
  return CONTAINERS.some((each) => each === subject)
}

export function newWhere(subject: Subject): WhereDraft {
  return { id: draftId(), subject, path: '', comparison: NEW_COMPARISON }
}

/** Parses a `where`; `null` if absent. Invalid parts get defaults. */
export function whereDraftOf(
  where: Json | undefined,
  subjects: readonly Subject[],
): readonly WhereDraft[] | null {
  if (!Array.isArray(where)) return null
  return where.map((each: Json) => {
    const json = isJsonObject(each) ? each : {}
    const isNamed = (subject: Subject): boolean =>
      hasPath(subject) ? Object.hasOwn(json, subject) : json['field'] === subject
    const subject = subjects.find(isNamed) ?? 'property'
    const path = hasPath(subject) ? textOf(json[subject]) : ''
    return { id: draftId(), subject, path, comparison: comparisonDraftOf(json) }
  })
}

export function whereOf(where: readonly WhereDraft[] | null): JsonObject {
  if (where === null) return {}
  return {
    where: where.map(({ subject, path, comparison }) => ({
      ...(hasPath(subject) ? { [subject]: path } : { field: subject }),
      ...comparisonOf(comparison),
    })),
  }
}

export function isWhereComplete(where: readonly WhereDraft[] | null): boolean {
  return (where ?? []).every(
    ({ subject, path, comparison }) =>
      (path !== '' || !hasPath(subject)) && isComparisonComplete(comparison),
  )
}

/** ` where revenue is at least 100`, or nothing. */
export function describeWhere(where: readonly WhereDraft[] | null): string {
  if (where === null || where.length === 0) return ''
  const words = where.map(
    ({ subject, path, comparison }) =>
      `${describeSubject(subject, path)} ${describeComparison(comparison)}`,
  )
  return ` where ${words.join(' and ')}`
}

function describeSubject(subject: Subject, path: string): string {
  if (!hasPath(subject)) return subject
  return subject === 'property' ? nameText(path) : `${subject} ${nameText(path)}`
}
