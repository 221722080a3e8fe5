import { ApiProblem } from '../../api/problem.ts'
import { nameToType } from '../../format/name-to-type.ts'

/** What a person has written into the form. */
export interface DeletionFields {
  /** One id in each line. */
  readonly users: string
  readonly anonymous: string
  /** Empty: every source. */
  readonly sourceIds: readonly string[]
  readonly isEverySource: boolean
  readonly suppress: boolean
}

/** What the API is asked for. */
export interface DeletionBody {
  readonly userIds?: string[]
  readonly anonymousIds?: string[]
  readonly sourceIds?: string[]
  readonly suppress?: boolean
}

/** The ids of a text with one in each line, each once. Spaces stay: ids with and without a space are two users. */
export function idsIn(text: string): string[] {
  return [...new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ''))]
}

/** The ids that begin or end with a space, which is rarely meant. */
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

export function subjectsIn({ userIds = [], anonymousIds = [] }: DeletionBody): readonly string[] {
  return [...userIds, ...anonymousIds]
}

/** What a person types so that it is clear who is deleted: the one id, or how many there are. */
export function textToType(body: DeletionBody): string {
  const ids = subjectsIn(body)
  return ids.length === 1 ? nameToType(ids[0]!, 'delete') : String(ids.length)
}

/** What the service says of a list of ids: of the list, or of the first of its ids that is wrong. */
export function faultIn(
  error: unknown,
  pointer: string,
  ids: readonly string[] = [],
): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const found = error.errors.find(
    (each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`),
  )
  if (found === undefined) return undefined
  const at = Number(found.pointer.slice(pointer.length + 1) || Number.NaN)
  const which = ids[at] === undefined ? '' : `Line ${at + 1}: `
  return `${which}${[found.message, found.hint].filter(Boolean).join(' ')}`
}
