import { EVENT_TYPES, type EventType, type Json, type JsonObject } from '@hookline/protocol'
import {
  type ConditionTree,
  treeNotation,
} from '../../../../domain/conditions/draft/condition-tree.ts'
import {
  type DefinitionDraft,
  isDefinitionComplete,
} from '../../../../domain/conditions/draft/definition-draft.ts'
import type { ClauseNotation } from '../../../../domain/conditions/draft/notation.ts'
import {
  isWhereComplete,
  SUBJECTS,
  type WhereDraft,
  whereDraftOf,
  whereOf,
  describeWhere,
} from '../../../../domain/conditions/draft/where-draft.ts'
import { EVENT_WORDS, nameText } from '../../../../domain/conditions/draft/words.ts'
import { textOf } from '../../../../domain/conditions/draft/written.ts'

/** A clause of a filter being edited. */
export interface FilterClauseDraft {
  /** `null` if the filter has no `type`. */
  readonly type: EventType | null
  /** Names of track events. Empty: all. */
  readonly names: readonly string[]
  /** Whether a single name is in a list. */
  readonly isList: boolean
  /** `null` if the filter has no `where`. */
  readonly where: readonly WhereDraft[] | null
}

export const FILTER_CLAUSES: ClauseNotation<FilterClauseDraft> = {
  // No event has two names.
  join: 'or',
  newDraft: () => ({ type: 'track', names: [], isList: false, where: null }),
  draftOf: ({ type, event, where }) => {
    const known = EVENT_TYPES.find((each) => each === type) ?? null
    const hasNames = event !== undefined && (known === null || known === 'track')
    return {
      type: known,
      names: hasNames ? [event].flat().map((each: Json | undefined) => textOf(each)) : [],
      isList: Array.isArray(event),
      where: whereDraftOf(where, SUBJECTS),
    }
  },
  jsonOf: ({ type, names, isList, where }) => {
    const json: JsonObject = {
      ...(type !== null && { type }),
      ...(names.length > 0 && { event: names.length > 1 || isList ? names : names[0]! }),
      ...whereOf(where),
    }
    // A clause must have a member. An empty list selects every event.
    return Object.keys(json).length === 0 ? { where: [] } : json
  },
  isComplete: ({ names, where }) => !names.includes('') && isWhereComplete(where),
  describe: (clause) => `${describeSelection(clause)}${describeWhere(clause.where)}`,
}

function describeSelection({ type, names }: FilterClauseDraft): string {
  if (names.length === 0) return `any ${type === null ? 'event' : EVENT_WORDS[type]}`
  const words = names.map(nameText).join(' or ')
  return names.length === 1 ? words : `(${words})`
}

export const FILTERS = treeNotation(FILTER_CLAUSES)

/** A filter edited in the builder or as JSON. `null`: none. */
export type FilterDraft = DefinitionDraft<ConditionTree<FilterClauseDraft>> | null

/** Whether the filter can be previewed and saved. */
export function isFilterComplete(filter: FilterDraft): boolean {
  return filter === null || isDefinitionComplete(FILTERS, filter)
}

/** The kind of event that a clause selects. */
export function kindOf({ type, names }: FilterClauseDraft): EventType | 'any' {
  return names.length > 0 ? 'track' : (type ?? 'any')
}

/** Without names, the clause still only selects track events. */
export function withNames(
  clause: FilterClauseDraft,
  entered: readonly string[],
): FilterClauseDraft {
  const names = entered.length === 1 && entered[0] === '' ? [] : entered
  return { ...clause, names, type: names.length === 0 ? 'track' : clause.type }
}
