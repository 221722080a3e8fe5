import type { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { confirmationText } from '../../format/confirmation-text.ts'

export interface DeletionFields {
  /** One id per line. */
  readonly users: string
  readonly anonymous: string
  readonly sourceIds: readonly string[]
  readonly isEverySource: boolean
  readonly suppress: boolean
}

export type DeletionBody = Parameters<typeof api.createDeletion>[0]

/** The distinct ids, one per line. Spaces are significant in ids, so they are kept. */
export function idsIn(text: string): string[] {
  return [...new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ''))]
}

export function spacedIds(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => id.trim() !== id)
}

export function deletionBody(fields: DeletionFields): DeletionBody {
  const userIds = idsIn(fields.users)
  const anonymousIds = idsIn(fields.anonymous)
  return {
    ...(userIds.length > 0 && { userIds }),
    ...(anonymousIds.length > 0 && { anonymousIds }),
    ...(!fields.isEverySource && { sourceIds: [...fields.sourceIds] }),
    ...(fields.suppress && { suppress: true }),
  }
}

/** The text that confirms a deletion: the id, or the number of ids. */
export function deletionConfirmation({ userIds = [], anonymousIds = [] }: DeletionBody): string {
  const ids = [...userIds, ...anonymousIds]
  return ids.length === 1 ? confirmationText(ids[0]!, 'delete') : String(ids.length)
}

/** The first error in a list of ids, or in one of its ids. */
export function errorIn(
  error: unknown,
  pointer: string,
  ids: readonly string[] = [],
): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const found = error.errors.find(
    (each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`),
  )
  if (found === undefined) return undefined
  const index = Number(found.pointer.slice(pointer.length + 1) || Number.NaN)
  const line = ids[index] === undefined ? '' : `Line ${index + 1}: `
  return `${line}${[found.message, found.hint].filter(Boolean).join(' ')}`
}
