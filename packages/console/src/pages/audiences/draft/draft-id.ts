let last = 0

/** An id of a part of a draft, so that its inputs keep their focus while parts around it come and go. */
export function draftId(): string {
  last += 1
  return `part-${last}`
}
