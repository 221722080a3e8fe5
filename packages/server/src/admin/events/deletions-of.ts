import type { Deletion, Deletions, Subject } from '../../backend/deletions.ts'

const LAST_BEFORE_SURROGATES = 0xd7ff
const FIRST_AFTER_SURROGATES = 0xe000

/** Of these deletions, the newest that names the user. */
export async function deletionOf(
  user: Subject,
  found: readonly Deletion[],
  deletions: Pick<Deletions, 'ids'>,
): Promise<Deletion | undefined> {
  for (const deletion of found) {
    const options = { after: justBefore(user.id), limit: 1 }
    const [id] = await deletions.ids(deletion.id, user.kind, options)
    if (id === user.id) return deletion
  }
  return undefined
}

/** A text that sorts before `id`, with next to nothing between them. */
function justBefore(id: string): string {
  const points = Array.from(id)
  const last = points.pop()?.codePointAt(0) ?? 0
  const rest = points.join('')
  if (last === 0) return rest
  const before = last === FIRST_AFTER_SURROGATES ? LAST_BEFORE_SURROGATES : last - 1
  return `${rest}${String.fromCodePoint(before)}\u{10ffff}`
}
