import type { Clause, Condition, EventClause } from '@hookline/protocol'

/** A clause, and its place in the condition as a JSON Pointer. */
export interface PlacedClause {
  readonly clause: Clause
  readonly pointer: string
}

/** The clauses of a condition, in its order. */
export function* clausesIn(condition: Condition, pointer = ''): Generator<PlacedClause> {
  if ('and' in condition) yield* clausesInList(condition.and, `${pointer}/and`)
  else if ('or' in condition) yield* clausesInList(condition.or, `${pointer}/or`)
  else if ('not' in condition) yield* clausesIn(condition.not, `${pointer}/not`)
  else yield { clause: condition, pointer }
}

/** Whether the clause counts events. */
export function isEventClause(clause: Clause): clause is EventClause {
  return 'event' in clause || 'type' in clause
}

function* clausesInList(list: readonly Condition[], pointer: string): Generator<PlacedClause> {
  for (const [index, each] of list.entries()) yield* clausesIn(each, `${pointer}/${index}`)
}
