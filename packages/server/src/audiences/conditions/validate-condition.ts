import { type Condition, isJsonObject, type JsonObject, LIMITS } from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import { checkClause, CLAUSE_KINDS, type ClauseKind } from './checks/check-clause.ts'

/** A valid condition, or all faults of an invalid one. */
export type ValidatedCondition =
  { readonly condition: Condition } | { readonly faults: readonly Fault[] }

/**
 * Validates a condition, apart from what it refers to (`referenceFaults`). It is closed: fields that mean nothing are
 * faults. Pointers of faults are relative to `input`, which must come from JSON.
 */
export function validateCondition(input: unknown): ValidatedCondition {
  const validation = new ConditionValidation()
  validation.visit(input, '', 1)
  const { faults } = validation
  return faults.length > 0 ? { faults } : { condition: input as Condition }
}

const GROUPS = ['and', 'or', 'not'] as const
const KINDS = [...GROUPS, ...CLAUSE_KINDS]

class ConditionValidation {
  readonly faults: Fault[] = []
  /** Counts the ends of the tree, so that a hostile tree has no more faults than a clause can have, times the limit. */
  #clauses = 0

  /** Validates a part of the condition; `level` is 1 for the whole. */
  visit(input: unknown, pointer: string, level: number): void {
    if (this.#clauses > LIMITS.conditionClauses) return
    if (level > LIMITS.conditionLevels)
      return this.#end(pointer, 'too_deep', 'It is too deep.', FLATTER)
    if (!isJsonObject(input)) {
      return this.#end(pointer, 'wrong_type', 'A condition must be an object.', EXAMPLES)
    }
    const [kind, other] = KINDS.filter((each) => Object.hasOwn(input, each))
    if (kind === undefined) {
      return this.#end(pointer, 'required', 'It is not clear what is compared.', EXAMPLES)
    }
    if (other !== undefined) {
      const hint = 'Put them together in a list: {"and": [{…}, {…}]}.'
      return this.#end(`${pointer}/${other}`, 'exclusive', `${other} excludes ${kind}.`, hint)
    }
    if (isGroup(kind)) this.#group(kind, input, pointer, level)
    else if (this.#isWithinLimit(pointer)) checkClause(kind, input, pointer, this.faults)
  }

  #group(kind: (typeof GROUPS)[number], input: JsonObject, pointer: string, level: number): void {
    this.faults.push(...unknownFields(input, [kind], pointer))
    const parts = input[kind]
    const at = `${pointer}/${kind}`
    if (kind === 'not') return this.visit(parts, at, level + 1)
    if (!Array.isArray(parts) || parts.length === 0) {
      const hint = 'Give a list of at least one condition: [{…}, {…}].'
      return this.#end(at, 'wrong_type', `${kind} must be a list of conditions.`, hint)
    }
    for (const [index, part] of parts.entries()) this.visit(part, `${at}/${index}`, level + 1)
  }

  #end(...[pointer, code, message, hint]: Parameters<typeof fault>): void {
    if (this.#isWithinLimit(pointer)) this.faults.push(fault(pointer, code, message, hint))
  }

  #isWithinLimit(pointer: string): boolean {
    this.#clauses++
    if (this.#clauses <= LIMITS.conditionClauses) return true
    const hint = `Keep at most ${LIMITS.conditionClauses} clauses. An audience may refer to others.`
    this.faults.push(fault(pointer, 'too_many', 'The condition has too many clauses.', hint))
    return false
  }
}

const FLATTER = `Keep at most ${LIMITS.conditionLevels} levels. An audience may refer to others.`
const EXAMPLES =
  'Give one of {"trait": …}, {"event": …}, {"type": …}, {"computedTrait": …}, {"audience": …}, {"and": […]}, {"or": […]}, {"not": …}.'

function isGroup(kind: (typeof GROUPS)[number] | ClauseKind): kind is (typeof GROUPS)[number] {
  return GROUPS.some((each) => each === kind)
}
