import { type Json } from '@hookline/protocol'
import Type from 'typebox'
import type { Explanation } from '../../audiences/conditions/explain.ts'
import type { ExplainedValue } from '../../audiences/computations.ts'
import { anyObject, nullable, time, timeOrNull } from '../api/schema-parts.ts'

const changesAt = nullable({
  ...time,
  description: 'When it can next change by time alone. null: only an event can change it.',
})

const PartResponse = Type.Object({
  pointer: Type.String({ description: 'Its place in the condition, as a JSON Pointer.' }),
  kind: Type.Enum(['and', 'or', 'not', 'clause']),
  holds: Type.Boolean(),
  changesAt,
  clause: Type.Optional({ ...anyObject, description: 'The clause, as in the condition.' }),
  saw: Type.Optional({
    ...anyObject,
    description:
      'What the clause compared: {"value": …}, null for a missing one; {"count": 3, "orMore": false}, where orMore says that older events are no longer known; or {"member": true}.',
  }),
})

/** Why a user has a value, as the API shows it. */
export const ExplainedResponse = Type.Object({
  userId: Type.String(),
  value: Type.Unsafe<Json>({
    description: 'The value now: true for a member of an audience; null for none.',
  }),
  since: nullable({ ...time, description: 'null if it has none, or got it a moment ago.' }),
  changesAt,
  condition: Type.Optional(
    Type.Array(PartResponse, {
      description: 'For an audience: each part of its condition, the whole first.',
    }),
  ),
  events: Type.Optional(
    Type.Integer({ description: 'For a computed trait: of how many events it is made.' }),
  ),
})

/** The value and where it comes from, as the API shows it. */
export function presentExplained(explained: ExplainedValue): object {
  const { value = null, since, condition, events } = explained
  return {
    value,
    since: timeOrNull(since),
    changesAt: timeOrNull(explained.changesAt),
    ...(condition && { condition: partsOf(condition) }),
    ...(events !== undefined && { events }),
  }
}

/** The parts of the tree as a list: each before those in it. */
function partsOf(part: Explanation, pointer = ''): readonly object[] {
  const { holds, changesAt: at } = part
  const shown = { pointer, holds, changesAt: at }
  if ('clause' in part) return [{ ...shown, kind: 'clause', clause: part.clause, saw: part.saw }]
  if ('not' in part) return [{ ...shown, kind: 'not' }, ...partsOf(part.not, `${pointer}/not`)]
  const [kind, parts] = 'and' in part ? ['and', part.and] : ['or', part.or]
  const inside = parts.flatMap((each, index) => partsOf(each, `${pointer}/${kind}/${index}`))
  return [{ ...shown, kind }, ...inside]
}
